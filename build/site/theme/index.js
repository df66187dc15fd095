import theme from "vitepress/theme-without-fonts";
import { searchOptions } from "./search.mjs";
import "./site.css";

export default {
  extends: theme,
  // Not in the configuration, which would turn the functions into text that each page evaluates.
  enhanceApp({ siteData }) {
    const { themeConfig } = siteData.value;
    const search = { ...themeConfig.search, options: { miniSearch: { searchOptions } } };
    siteData.value = { ...siteData.value, themeConfig: { ...themeConfig, search } };
  },
};
