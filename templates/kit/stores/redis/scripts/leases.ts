/** Replies with the positions of the leases that are held. */
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

/** Replies with tasks: the id, tenant, owner, epoch, and the task as it is. */
export const expiredScript = `
local call, holder, ttl, limit = take(4)
local before, claimed, taken = claimedBy(call), {}, {}
for _, each in ipairs(before or {}) do
  local id, epoch = each[1], each[2]
  local t = redis.call('HMGET', key('task', id), 'tenant', 'owner', 'epoch', 'holder')
  if t[3] == epoch and t[4] == holder and isHeld(id) then
    -- The process counts its lease from this call on, and not from the one whose response was lost.
    hold(id, holder, ttl)
    taken[#taken + 1] = { id, t[1], t[2], epoch, stored(id, true) }
  end
end
if before then return taken end
for _, id in ipairs(redis.call('ZRANGE', leases, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit)) do
  local task = key('task', id)
  local t = redis.call('HMGET', task, 'tenant', 'owner')
  if t[1] then
    local epoch = redis.call('HINCRBY', task, 'epoch', 1)
    hold(id, holder, ttl)
    claimed[#claimed + 1] = { id, tostring(epoch) }
    taken[#taken + 1] = { id, t[1], t[2], epoch, stored(id, true) }
  else
    redis.call('ZREM', leases, id)
  end
end
noteClaimed(call, ttl, claimed)
return taken
`;

/** Replies with how many tasks and logs have gone, and with the tasks whose logs may go when these were folded. */
export const forgetScript = `
local maxAge, maxCount, maxLogAge, step = take(4)
maxAge, maxCount = tonumber(opt(maxAge) or math.huge), tonumber(opt(maxCount) or math.huge)
local excess = redis.call('ZCARD', ended) - maxCount
local found = redis.call('ZRANGE', ended, 0, step - 1, 'WITHSCORES')
local count = 0
for number = 1, #found, 2 do
  local id = found[number]
  if (number + 1) / 2 > excess and now - found[number + 1] <= maxAge then break end
  local t = redis.call('HMGET', key('task', id), 'tenant', 'owner', 'context', 'state')
  if t[1] then
    for _, list in ipairs(listsOf(t[1], t[2], t[3], t[4])) do redis.call('ZREM', list, id) end
  end
  for _, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do dropHook(id, hook) end
  redis.call('UNLINK', key('task', id), key('log', id), key('inbox', id), key('posted', id), key('hooks', id))
  redis.call('ZREM', leases, id)
  redis.call('ZREM', ended, id)
  redis.call('ZREM', logs, id)
  count = count + 1
end

local unfolded = {}
maxLogAge = opt(maxLogAge)
local ids = maxLogAge and redis.call('ZRANGE', logs, '-inf', now - maxLogAge, 'BYSCORE', 'LIMIT', 0, step - count) or {}
for _, id in ipairs(ids) do
  local outcome = trim(id)
  if outcome == 'trimmed' then count = count + 1 end
  if outcome == 'unfolded' then unfolded[#unfolded + 1] = id end
end
return { count, unfolded }
`;

/** Replies with the ids, ends and posts of tasks, and whether a webhook is due. */
export const seeScript = `
local seen = {}
for _ = 1, take(1) do
  local id = take(1)
  local t = redis.call('HMGET', key('task', id), 'end', 'posts')
  if t[1] then seen[#seen + 1] = { id, t[1], t[2] or 0 } end
end
return { seen, #redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1) }
`;
