/**
 * Replies with the number of tasks, with times, ids and tasks of the page, and with 1 if more tasks
 * follow. Each combination of filters has its own sorted set, so the script only reads tasks of the
 * page.
 */
export const listScript = `
local tenant, owner, context, state, since, limit, artifacts, time, last = take(9)
for _, id in ipairs(redis.call('SMEMBERS', key('moving', joined(tenant, owner)))) do
  -- Without memory for writes, pages may be in the order of earlier times.
  pcall(settle, id)
end
context, state, since = opt(context), opt(state), opt(since) or '-inf'
local lists = listsOf(tenant, owner, context, state or '')
local list = context and (state and lists[4] or lists[3]) or (state and lists[2] or lists[1])

-- This compares strings by their bytes. An operator would use the locale of the server.
local function isLess(one, other)
  for number = 1, math.min(#one, #other) do
    local a, b = string.byte(one, number), string.byte(other, number)
    if a ~= b then return a < b end
  end
  return #one < #other
end

local first = 0
if time ~= '' then
  -- Among tasks with the same time, the page begins with the first task after the cursor.
  local high = redis.call('ZCOUNT', list, time, '+inf')
  first = redis.call('ZCOUNT', list, '(' .. time, '+inf')
  while first < high do
    local middle = math.floor((first + high) / 2)
    if isLess(redis.call('ZRANGE', list, middle, middle, 'REV')[1], last) then high = middle
    else first = middle + 1 end
  end
end
local found = redis.call('ZRANGE', list, first, first + limit, 'REV', 'WITHSCORES')
local tasks, bytes, more = {}, 0, 0
for number = 1, #found, 2 do
  local id = found[number]
  if since ~= '-inf' and tonumber(found[number + 1]) < tonumber(since) then break end
  local size = redis.call('HGET', key('task', id), 'bytes')
  if size then
    if artifacts ~= '1' then size = size - redis.call('HSTRLEN', key('task', id), 'artifacts') end
    bytes = bytes + math.min(tonumber(size), readableBytes)
    if #tasks == tonumber(limit) or (#tasks > 0 and bytes > pageBytes) then
      more = 1
      break
    end
    tasks[#tasks + 1] = { found[number + 1], id, stored(id, artifacts == '1', false) }
  end
end
return { math.min(redis.call('ZCOUNT', list, since, '+inf'), 10000), tasks, more }
`;
