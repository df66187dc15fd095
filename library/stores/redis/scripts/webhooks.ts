/**
 * Adds or replaces a webhook. Replies 0 if the scope does not contain the task, 1 if the webhook is
 * not due, 2 if it is due, and 3 if the task has too many webhooks.
 */
export const putWebhookScript = `
local id, tenant, owner, hook, after, body, max = take(7)
local t = redis.call('HMGET', key('task', id), 'tenant', 'owner', 'end')
if t[1] ~= tenant or t[2] ~= owner then return 0 end
local hooks = key('hooks', id)
local isKnown = redis.call('SISMEMBER', hooks, hook) == 1
if not isKnown and redis.call('SCARD', hooks) >= tonumber(opt(max) or math.huge) then return 3 end
if not isKnown and not redis.call('ZSCORE', ended, id) then count(tenant, owner, 'hooks', 1) end
if not putHook(id, hook, after, body, (placeOf(t[3]))) then return 1 end
return 2
`;

/** Replies with the webhooks of a task, or `null` if the scope does not contain the task. */
export const webhooksScript = `
local id, tenant, owner = take(3)
local t = redis.call('HMGET', key('task', id), 'tenant', 'owner')
if t[1] ~= tenant or t[2] ~= owner then return false end
local hooks = {}
for number, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do
  hooks[number] = redis.call('HGET', key('hook', joined(id) .. hook), 'body')
end
return hooks
`;

/** Notifies other processes that a webhook is due. */
export const announceDueScript = `
tell('d ')
return 1
`;

/** Removes a webhook. Replies 0 if the scope does not contain the task, and 1 otherwise. */
export const dropWebhookScript = `
local id, tenant, owner, hook = take(4)
local t = redis.call('HMGET', key('task', id), 'tenant', 'owner')
if t[1] ~= tenant or t[2] ~= owner then return 0 end
if redis.call('SREM', key('hooks', id), hook) == 1 and not redis.call('ZSCORE', ended, id) then
  count(tenant, owner, 'hooks', -1)
end
dropHook(id, hook)
return 1
`;

/**
 * Claims webhooks that are due. Replies with these webhooks (task id, own id, body, tenant, owner,
 * epoch, failures and the first events to deliver), and with 1 if more webhooks may be due.
 */
export const dueScript = `
local call, holder, ttl, limit = take(4)

-- Returns a webhook and its undelivered events.
local function toDeliver(ref)
  -- A ref is \`joined(task id)\` and the id of the webhook.
  local size, rest = string.match(ref, '^(%d+):(.*)$')
  local id = string.sub(rest, 1, size)
  local body, delivered, failures, epoch = unpack(redis.call('HMGET', key('hook', ref), 'body',
    'delivered', 'failures', 'epoch'))
  local tenant, owner = unpack(redis.call('HMGET', key('task', id), 'tenant', 'owner'))
  local events, bytes = {}, 0
  if body and tenant then
    local first = (delivered + 1) .. '-0'
    for _, entry in ipairs(entriesAfter(id, first, 100, hookBytes, messageKind)) do
      events[#events + 1] = entry[2][2]
      bytes = bytes + #entry[2][2]
    end
  end
  local hook = { id, string.sub(rest, size + 1), body, tenant, owner, epoch, failures, events }
  return hook, bytes, #events
end

local before, claimed, taken = claimedBy(call), {}, {}
for _, lease in ipairs(before or {}) do
  local ref, epoch = unpack(lease)
  local heldEpoch, heldBy = unpack(redis.call('HMGET', key('hook', ref), 'epoch', 'holder'))
  local hook = heldEpoch == epoch and heldBy == holder and toDeliver(ref)
  if hook then
    -- The process measures its lease from this call, not from the call whose response was lost.
    redis.call('ZADD', due, now + ttl, ref)
    taken[#taken + 1] = hook
  end
end
if before then return { taken, 1 } end
local found, total, more = redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit), 0,
  0
for _, ref in ipairs(found) do
  if total >= pageBytes then break end
  local hook, bytes, events = toDeliver(ref)
  total = total + bytes
  more = 1
  if events == 0 then
    redis.call('ZREM', due, ref)
  else
    local hash = key('hook', ref)
    local epoch = tostring(redis.call('HINCRBY', hash, 'epoch', 1))
    hook[6] = epoch
    redis.call('HSET', hash, 'holder', holder)
    redis.call('ZADD', due, now + ttl, ref)
    claimed[#claimed + 1] = { ref, epoch }
    taken[#taken + 1] = hook
  end
end
noteClaimed(call, ttl, claimed)
return { taken, more }
`;

/**
 * Records the outcome of a delivery. Replies 1 if the webhook is due again immediately, and 0
 * otherwise.
 */
export const deliveredScript = `
local id, hook, holder, epoch, upTo, retryIn, givenUp = take(7)
local ref = joined(id) .. hook
local hash = key('hook', ref)
local heldBy, heldEpoch, before, oldFailures = unpack(redis.call('HMGET', hash, 'holder', 'epoch',
  'delivered', 'failures'))
if heldBy ~= holder or heldEpoch ~= epoch then return 0 end
local failures = 0
before = tonumber(before)
local delivered = math.max(before, tonumber(upTo))
retryIn = opt(retryIn)
-- Failures are counted since the last event that was delivered.
if retryIn then failures = delivered > before and 1 or oldFailures + 1 end
redis.call('HSET', hash, 'delivered', delivered, 'failures', failures)
redis.call('HDEL', hash, 'holder')
if givenUp == '1' then
  redis.call('HSET', hash, 'givenUp', 1)
elseif retryIn then
  redis.call('ZADD', due, now + retryIn, ref)
  return 0
elseif delivered < placeOf(redis.call('HGET', key('task', id), 'end')) then
  redis.call('ZADD', due, now, ref)
  return 1
end
redis.call('ZREM', due, ref)
return 0
`;
