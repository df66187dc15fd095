/**
 * Replies with how many tasks there are, and with times and tasks. Each combination of filters has a sorted set of its
 * own, so none is looked at that is not on the page.
 */
export const listScript = `
local tenant, owner, context, state, since, limit, artifacts, time, last = take(9)
context, state, since = opt(context), opt(state), opt(since) or '-inf'
local lists = listsOf(tenant, owner, context, state or '')
local list = context and (state and lists[4] or lists[3]) or (state and lists[2] or lists[1])

-- Strings are compared by their bytes here, and by the locale of the server with an operator.
local function isLess(one, other)
  for number = 1, math.min(#one, #other) do
    local a, b = string.byte(one, number), string.byte(other, number)
    if a ~= b then return a < b end
  end
  return #one < #other
end

local first = 0
if time ~= '' then
  -- Among those of the same time, the page begins with the first that comes after the cursor.
  local high = redis.call('ZCOUNT', list, time, '+inf')
  first = redis.call('ZCOUNT', list, '(' .. time, '+inf')
  while first < high do
    local middle = math.floor((first + high) / 2)
    if isLess(redis.call('ZRANGE', list, middle, middle, 'REV')[1], last) then high = middle
    else first = middle + 1 end
  end
end
local found = redis.call('ZRANGE', list, first, first + limit - 1, 'REV', 'WITHSCORES')
local tasks = {}
for number = 1, #found, 2 do
  local id = found[number]
  if since ~= '-inf' and tonumber(found[number + 1]) < tonumber(since) then break end
  if redis.call('EXISTS', key('task', id)) == 1 then
    tasks[#tasks + 1] = { found[number + 1], stored(id, artifacts == '1') }
  end
end
return { math.min(redis.call('ZCOUNT', list, since, '+inf'), 10000), tasks }
`;
