/** Adds a task. Replies 1 if it was added, and 0 if its id already exists. */
export const createScript = `
local id, call, tenant, owner, context, state, time, hasEnded = take(8)
local last, folded, snapshot, artifacts, turn, checkpoint, holder, ttl, wakeIn, entryBytes = take(10)
context, artifacts, checkpoint, holder = opt(context), opt(artifacts), opt(checkpoint), opt(holder)
wakeIn = opt(wakeIn)
hasEnded = hasEnded == '1'
local task = key('task', id)
if redis.call('EXISTS', task) == 1 then
  -- A client sends a call again if its response was lost.
  return redis.call('HGET', task, 'call') == call and 1 or 0
end
if not version then
  -- Fails if the server is too old, before anything is written.
  redis.call('XRANGE', key('log', id), '(0-0', '+', 'COUNT', 1)
  redis.call('SET', base .. ':version', knownVersion)
end

local bytes = #snapshot + #(artifacts or '') + #turn + #(checkpoint or '')
if folded ~= last then bytes = bytes + entryBytes end
local fields = {
  'bytes', bytes, 'tenant', tenant, 'owner', owner, 'state', state, 'task', snapshot,
  'folded', folded, 'end', last, 'turn', turn,
  'epoch', holder and 1 or 0, 'call', call, 'hooks', 0
}
local function add(name, value)
  if not value then return end
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
add('context', context)
add('artifacts', artifacts)
add('checkpoint', checkpoint)
redis.call('HSET', task, unpack(fields))
if holder then hold(id, holder, ttl)
elseif wakeIn then redis.call('ZADD', leases, now + wakeIn, id) end
for _, list in ipairs(listsOf(tenant, owner, context, state)) do redis.call('ZADD', list, time,
  id) end
count(tenant, owner, 'stored', bytes)
if hasEnded then
  noteEnd(id)
  count(tenant, owner, 'ended', bytes)
else
  count(tenant, owner, 'tasks', 1)
end

for _ = 1, take(1) do
  local place, kind, body = take(3)
  redis.call('XADD', key('log', id), place, kind, body)
end
for _ = 1, take(1) do
  local hook, after, body = take(3)
  local _, isNew = putHook(id, hook, after, body, (placeOf(last)))
  if isNew and not hasEnded then count(tenant, owner, 'hooks', 1) end
end
return 1
`;

/** Replies with a task, or `null` if the scope does not contain it. */
export const readScript = `
local id, tenant, owner = take(3)
local task = redis.call('HMGET', key('task', id), 'tenant', 'owner')
if task[1] ~= tenant or task[2] ~= owner then return false end
return stored(id, true, true)
`;

/**
 * Posts an item. Replies with the outcome, the task, a number, and whether the item was added. For
 * the outcome `leased`, the number is the epoch of the lease; for `posted`, it is the number of
 * posts. The task in the reply never contains the added item. If the item was rejected, replies
 * with the outcome, the state and the generation of the task.
 */
export const postScript = `
local id, tenant, owner, call, item, body, isCancel = take(7)
local holder, ttl, generation, context, room, inboxRoom, taskRoom = take(7)
local task = key('task', id)
local ownTenant, ownOwner, ownContext, logEnd, epoch, lastCall, heldBy, postCount, bytes,
  inboxBytes, state = unpack(redis.call('HMGET', task, 'tenant', 'owner', 'context', 'end', 'epoch',
  'call', 'holder', 'posts', 'bytes', 'inboxBytes', 'state'))
if ownTenant ~= tenant or ownOwner ~= owner then return false end
if redis.call('ZSCORE', leases, id) == 'inf' or tonumber(bytes) > readableBytes
  then return { 'unreadable' } end
generation, context, room = opt(generation), opt(context), tonumber(opt(room) or math.huge)
inboxRoom, taskRoom = tonumber(opt(inboxRoom) or math.huge), tonumber(opt(taskRoom) or math.huge)

local inbox, recent, added = key('inbox', id), key('recent', id), nil
if not redis.call('ZSCORE', inbox, item) then
  local isOver = redis.call('ZSCORE', ended, id)
  -- A client sends a call again if its response was lost. The item may already have been taken, and
  -- the task may have ended since. All cancel requests have the same id, so a cancel request may be
  -- new although its id was posted before.
  if not (isOver and isCancel == '1') and redis.call('ZSCORE', recent, item) then
    return { 'posted', stored(id, true, false), postCount or 0 }
  end
  if isOver then return { 'ended', state, (placeOf(logEnd)) } end
  local outcome
  if context and context ~= ownContext then outcome = 'otherContext'
  elseif generation and tonumber(generation) ~= (placeOf(logEnd)) then outcome = 'otherGeneration'
  elseif isCancel ~= '1' then
    local isFull = redis.call('ZCARD', inbox) >= room or (inboxBytes or 0) + #body > inboxRoom
    if isFull then outcome = 'full'
    elseif bytes + #body > taskRoom then outcome = 'tooLarge' end
  end
  if outcome then return { outcome, state, (placeOf(logEnd)) } end
  redis.call('ZADD', inbox, redis.call('HINCRBY', task, 'items', 1), item)
  redis.call('HSET', key('items', id), item, body)
  redis.call('HINCRBY', task, 'inboxBytes', #body)
  resize(id, tenant, owner, #body, false)
  redis.call('ZREMRANGEBYSCORE', recent, '-inf', now)
  redis.call('ZADD', recent, now + repeatWithinMs, item)
  added = item
end

if not (heldBy and isHeld(id)) then
  local newEpoch = redis.call('HINCRBY', task, 'epoch', 1)
  redis.call('HSET', task, 'call', call)
  hold(id, holder, ttl)
  return { 'leased', stored(id, true, true, added), newEpoch, added and 1 or 0 }
end
-- If a call that has leased the task is sent again, its caller still holds the lease.
if lastCall == call and heldBy == holder then return { 'leased', stored(id, true, true), epoch } end
local posts = redis.call('HINCRBY', task, 'posts', 1)
tell('p ' .. posts .. ' ' .. id)
return { 'posted', stored(id, true, false, added), posts, added and 1 or 0 }
`;

/** Replies with a task of any scope, or `null` if the id does not exist. */
export const snapshotScript = `
local id = take(1)
if redis.call('EXISTS', key('task', id)) == 0 then return false end
return stored(id, true, false)
`;

/**
 * Replaces the snapshot at a position with a later snapshot. Replies 1 if the log that it replaces
 * was removed, and 0 otherwise. `size` is the size of the old snapshot and of the entries in the
 * new snapshot.
 */
export const foldScript = `
local id, folded, size, place, snapshot, artifacts, trims = take(7)
local task = key('task', id)
local oldFolded, tenant, owner = unpack(redis.call('HMGET', task, 'folded', 'tenant', 'owner'))
if not oldFolded then return 0 end
-- Another process may have replaced the snapshot since it was read.
if oldFolded == folded and isBefore(folded, place) then
  redis.call('HSET', task, 'folded', place, 'task', snapshot)
  artifacts = opt(artifacts)
  if artifacts then redis.call('HSET', task, 'artifacts', artifacts)
  else redis.call('HDEL', task, 'artifacts') end
  local delta = #snapshot + #(artifacts or '') - size
  resize(id, tenant, owner, delta, redis.call('ZSCORE', ended, id))
end
return trims == '1' and trim(id) == 'trimmed' and 1 or 0
`;

/**
 * Replies with the end of the log and the entries after a position. If these entries were removed,
 * replies with the end and the task.
 */
export const batchScript = `
local id, after, limit = take(3)
local trimmed, logEnd = unpack(redis.call('HMGET', key('task', id), 'trimmed', 'end'))
if trimmed and isBefore(after, trimmed) then return { logEnd, {}, stored(id, true, true) } end
local found = entriesAfter(id, '(' .. after, tonumber(limit), pageBytes)
local last, entries = after, {}
for number, entry in ipairs(found) do last, entries[number] = entry[1], entry[2][2] end
return { last, entries }
`;
