/**
 * Replies with the number of tasks, with times, ids and tasks of the page, and with 1 if more tasks
 * follow. Each combination of filters has its own sorted set, so the script only reads tasks of the
 * page.
 */
export const listScript = `
-- Number of tasks after which a list stops counting.
local maxTotal = 10000
local tenant, owner, context, state, since, limit, artifacts, time, last = take(9)
for _, id in ipairs(redis.call('SMEMBERS', key('moving', joined(tenant, owner)))) do
  -- Without memory for writes, pages may be in the order of earlier times.
  pcall(settle, id)
end
context, state, since = opt(context), opt(state), opt(since) or '-inf'
local lists = listsOf(tenant, owner, context, state or '')
-- See listsOf: all tasks, and tasks of a state, of a context, or of both.
local list = lists[(context and 2 or 0) + (state and 2 or 1)]

-- This compares strings by their bytes. An operator would use the locale of the server.
local function isLess(id, greaterId)
  for number = 1, math.min(#id, #greaterId) do
    local byte, greaterByte = string.byte(id, number), string.byte(greaterId, number)
    if byte ~= greaterByte then return byte < greaterByte end
  end
  return #id < #greaterId
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
-- The list alternates ids and times.
for number = 1, #found, 2 do
  local id, statusTime = found[number], found[number + 1]
  if since ~= '-inf' and tonumber(statusTime) < tonumber(since) then break end
  local size = redis.call('HGET', key('task', id), 'bytes')
  if size then
    if artifacts ~= '1' then size = size - redis.call('HSTRLEN', key('task', id), 'artifacts') end
    bytes = bytes + math.min(tonumber(size), readableBytes)
    if #tasks == tonumber(limit) or (#tasks > 0 and bytes > pageBytes) then
      more = 1
      break
    end
    tasks[#tasks + 1] = { statusTime, id, stored(id, artifacts == '1', false) }
  end
end
return { math.min(redis.call('ZCOUNT', list, since, '+inf'), maxTotal), tasks, more }
`;
