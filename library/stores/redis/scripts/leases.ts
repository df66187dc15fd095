/** Extends leases, and replies with the positions of the leases that are still held. */
export const renewScript = `
local ttl, held = take(1), {}
for number = 1, take(1) do
  local id, epoch, holder = take(3)
  local t = redis.call('HMGET', key('task', id), 'epoch', 'holder')
  if t[1] == epoch and t[2] == holder and isHeld(id) then
    redis.call('ZADD', leases, now + ttl, id)
    held[#held + 1] = number
  end
end
return held
`;

/**
 * Claims tasks whose leases have expired. Replies with these tasks (id, tenant, owner, epoch and
 * the task), with 1 if more leases may have expired, and with the number of routine searches by all
 * processes. A routine search claims nothing if any process has searched within a time.
 */
export const expiredScript = `
local call, holder, ttl, limit, within = take(5)
local searched, searches = base .. ':searched', 0
within = tonumber(opt(within))
if within then searches = redis.call('INCR', base .. ':searches') end
local before, claimed, taken = claimedBy(call), {}, {}
for _, lease in ipairs(before or {}) do
  local id, epoch = unpack(lease)
  local tenant, owner, heldEpoch, heldBy = unpack(redis.call('HMGET', key('task', id), 'tenant',
    'owner', 'epoch', 'holder'))
  if heldEpoch == epoch and heldBy == holder and isHeld(id) then
    -- The process measures its lease from this call, not from the call whose response was lost.
    hold(id, holder, ttl)
    taken[#taken + 1] = { id, tenant, owner, epoch, stored(id, true, true) }
  end
end
-- A repeated call only returns what its first call has claimed. More leases may have expired.
if before then return { taken, 1, searches } end
if within then
  local last = tonumber(redis.call('GET', searched) or 0)
  -- The clock may have been set back.
  if last >= now - within and last <= now then return { taken, 0, searches } end
  redis.call('SET', searched, now)
end
local late = redis.call('ZRANGE', leases, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit)
local bytes, hasMore = 0, #late == tonumber(limit) and 1 or 0
for _, id in ipairs(late) do
  local task = key('task', id)
  local tenant, owner, size = unpack(redis.call('HMGET', task, 'tenant', 'owner', 'bytes'))
  if tenant then
    bytes = bytes + math.min(tonumber(size), readableBytes)
    if #taken > 0 and bytes > pageBytes then
      hasMore = 1
      break
    end
    local epoch = redis.call('HINCRBY', task, 'epoch', 1)
    hold(id, holder, ttl)
    claimed[#claimed + 1] = { id, tostring(epoch) }
    taken[#taken + 1] = { id, tenant, owner, epoch, stored(id, true, true) }
  else
    redis.call('ZREM', leases, id)
  end
end
noteClaimed(call, ttl, claimed)
-- Other leases may have expired, so the next process searches as well.
if #taken > 0 then redis.call('DEL', searched) end
return { taken, hasMore, searches }
`;

/** Hides unreadable tasks from later claims, if their leases still have the epochs of this call. */
export const parkScript = `
for _ = 1, take(1) do
  local id, epoch = take(2)
  if redis.call('HGET', key('task', id), 'epoch') == epoch then
    redis.call('HDEL', key('task', id), 'holder')
    redis.call('ZADD', leases, '+inf', id)
  end
end
return 1
`;

/**
 * Replies with the usage of an owner: open tasks, their webhooks, bytes of all tasks, and bytes of
 * ended tasks.
 */
export const usageScript = `
local tenant, owner = take(2)
return redis.call('HMGET', key('usage', joined(tenant, owner)), 'tasks', 'hooks', 'stored', 'ended')
`;

/**
 * Searches a part of the keys of the server for a list of owners with tasks. Replies with the cursor
 * of the next part, and with 1 if a list was found.
 */
export const ownersScript = `
local escaped = string.gsub(base, '[%[%]*?\\\\]', '\\\\%0')
local reply = redis.call('SCAN', take(1), 'MATCH', escaped .. ':owners:*', 'COUNT', 1000)
return { reply[1], #reply[2] > 0 and 1 or 0 }
`;

/** Sets a mark unless it exists or the value is absent, and replies with the value of the mark. */
export const markScript = `
local name, value = take(2)
value = opt(value)
if value then redis.call('HSETNX', base .. ':marks', name, value) end
return redis.call('HGET', base .. ':marks', name)
`;

/**
 * Deletes tasks of a tenant or an owner, or a single task. Replies with the number of deleted
 * tasks.
 */
export const eraseScript = `
local tenant, owner, id, step = take(4)
owner, id, step = opt(owner), opt(id), tonumber(step)
if id then
  local t = redis.call('HMGET', key('task', id), 'tenant', 'owner')
  if step < 1 or t[1] ~= tenant or t[2] ~= (owner or t[2]) then return 0 end
  remove(id)
  return 1
end
local erased = 0
local owners = owner and { owner } or redis.call('SMEMBERS', key('owners', tenant))
for _, erasedOwner in ipairs(owners) do
  if erased >= step then break end
  for _, found in ipairs(redis.call('ZRANGE', key('all', joined(tenant, erasedOwner)), 0,
    step - erased - 1)) do
    remove(found)
    erased = erased + 1
  end
end
return erased
`;

/**
 * Removes the log of an unreadable task from the cleanup queue, so that it does not block the logs
 * behind it.
 */
export const keepLogScript = `
redis.call('ZREM', logs, (take(1)))
return 1
`;

/**
 * Deletes expired tasks and logs. Replies with the number of deleted tasks and logs, and with tasks
 * whose logs can be removed after compaction.
 */
export const forgetScript = `
local maxAge, maxCount, maxLogAge, step = take(4)
maxAge, maxCount = tonumber(opt(maxAge) or math.huge), tonumber(opt(maxCount) or math.huge)
local excess = redis.call('ZCARD', ended) - maxCount
local found = redis.call('ZRANGE', ended, 0, step - 1, 'WITHSCORES')
local gone = 0
-- The list alternates ids and the times at which the tasks ended.
for number = 1, #found, 2 do
  local id, endedAt = found[number], found[number + 1]
  local isExcess = (number + 1) / 2 <= excess
  if not isExcess and now - endedAt <= maxAge then break end
  remove(id)
  gone = gone + 1
end

local unfolded = {}
maxLogAge = opt(maxLogAge)
local ids = maxLogAge and redis.call('ZRANGE', logs, '-inf', now - maxLogAge, 'BYSCORE', 'LIMIT', 0,
  step - gone) or {}
for _, id in ipairs(ids) do
  local outcome = trim(id)
  if outcome == 'trimmed' then gone = gone + 1 end
  if outcome == 'unfolded' then unfolded[#unfolded + 1] = id end
end
return { gone, unfolded }
`;

/** Replies with the ids, ends and post counts of tasks, and whether a webhook is due. */
export const seeScript = `
local seen, watchedMs, watcher, maxLength = {}, take(3)
for _ = 1, take(1) do
  -- A mark before the id tells whether the process watches the task.
  local mark, id = string.match(take(1), '^(.)(.*)$')
  local task = key('task', id)
  local logEnd, posts, watched, watchers = unpack(redis.call('HMGET', task, 'end', 'posts',
    'watched', 'watchers'))
  if logEnd then
    seen[#seen + 1] = { id, logEnd, posts or 0 }
    local untilMs = tonumber(watched or 0)
    local list = untilMs > now and (watchers or '') or watcher
    local isNew = list ~= '' and not string.find(list, watcher, 1, true)
    -- A request for notifications is renewed in the second half of its time.
    if mark == '+' and (isNew or untilMs < now + watchedMs / 2) then
      if isNew then list = #list > tonumber(maxLength) and '' or list .. ' ' .. watcher end
      -- Another process may have asked for a longer time.
      local watchedUntil = math.max(untilMs, now + watchedMs)
      redis.call('HSET', task, 'watched', string.format('%d', watchedUntil), 'watchers', list)
    end
  end
end
return { seen, #redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1) }
`;
