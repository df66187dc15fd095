/** Replies 1 if the task was added, and 0 if its id already exists. */
export const createScript = `
local id, call, tenant, owner, context, state, time, hasEnded = take(8)
local last, folded, snapshot, artifacts, turn, checkpoint, holder, ttl, entryBytes = take(9)
context, artifacts, checkpoint, holder = opt(context), opt(artifacts), opt(checkpoint), opt(holder)
hasEnded = hasEnded == '1'
local task = key('task', id)
if redis.call('EXISTS', task) == 1 then
  -- A client sends a call again whose response it has lost.
  return redis.call('HGET', task, 'call') == call and 1 or 0
end
if not version then
  -- Fails where the server is too old, before anything is written.
  redis.call('XRANGE', key('log', id), '(0-0', '+', 'COUNT', 1)
  redis.call('SET', base .. ':version', knownVersion)
end

local bytes = #snapshot + #(artifacts or '') + #turn + #(checkpoint or '')
if folded ~= last then bytes = bytes + entryBytes end
local fields = {
  'bytes', bytes, 'tenant', tenant, 'owner', owner, 'state', state, 'task', snapshot, 'folded', folded, 'end', last, 'turn', turn,
  'epoch', holder and 1 or 0, 'call', call
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
if holder then hold(id, holder, ttl) end
for _, list in ipairs(listsOf(tenant, owner, context, state)) do redis.call('ZADD', list, time, id) end
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
local isDue = false
for _ = 1, take(1) do
  local hook, after, body = take(3)
  local isHookDue, isNew = putHook(id, hook, after, body, (placeOf(last)))
  isDue = isHookDue or isDue
  if isNew and not hasEnded then count(tenant, owner, 'hooks', 1) end
end
tell('g ' .. last .. ' ' .. id)
if isDue then tell('d ') end
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
 * Replies with the outcome, the task, the epoch of the lease or the number of posts, and whether the item was added.
 * The task in the reply never contains the added item. If the item was rejected, replies with the outcome, the state
 * and the generation of the task.
 */
export const postScript = `
local id, tenant, owner, call, item, body, isCancel = take(7)
local holder, ttl, generation, context, room, inboxRoom, taskRoom = take(7)
local task = key('task', id)
local t = redis.call('HMGET', task, 'tenant', 'owner', 'context', 'end', 'epoch', 'call', 'holder', 'posts', 'bytes', 'inboxBytes', 'state')
if t[1] ~= tenant or t[2] ~= owner then return false end
if redis.call('ZSCORE', leases, id) == 'inf' or tonumber(t[9]) > readableBytes then return { 'unreadable' } end
generation, context, room = opt(generation), opt(context), tonumber(opt(room) or math.huge)
inboxRoom, taskRoom = tonumber(opt(inboxRoom) or math.huge), tonumber(opt(taskRoom) or math.huge)

local inbox, posted, added = key('inbox', id), key('posted', id), nil
if not redis.call('ZSCORE', inbox, item) then
  -- An end is an end also for an item that was seen before: canceling a task again that was canceled is refused.
  if redis.call('ZSCORE', ended, id) then return { 'ended', t[11], (placeOf(t[4])) } end
  -- A client sends a call again whose response it has lost, when the item may have been taken already.
  if redis.call('LPOS', posted, item) then return { 'posted', stored(id, true, false), t[8] or 0 } end
  local outcome
  if context and context ~= t[3] then outcome = 'otherContext'
  elseif generation and tonumber(generation) ~= (placeOf(t[4])) then outcome = 'otherGeneration'
  elseif isCancel ~= '1' then
    if redis.call('ZCARD', inbox) >= room or (t[10] or 0) + #body > inboxRoom then outcome = 'full'
    elseif t[9] + #body > taskRoom then outcome = 'tooLarge' end
  end
  if outcome then return { outcome, t[11], (placeOf(t[4])) } end
  redis.call('ZADD', inbox, redis.call('HINCRBY', task, 'items', 1), item)
  redis.call('HSET', key('items', id), item, body)
  redis.call('HINCRBY', task, 'inboxBytes', #body)
  resize(id, tenant, owner, #body, false)
  redis.call('LPUSH', posted, item)
  redis.call('LTRIM', posted, 0, 15)
  added = item
end

if not isHeld(id) then
  local epoch = redis.call('HINCRBY', task, 'epoch', 1)
  redis.call('HSET', task, 'call', call)
  hold(id, holder, ttl)
  return { 'leased', stored(id, true, true, added), epoch, added and 1 or 0 }
end
-- Where a call is sent again that has leased the task, the lease is still the caller's.
if t[6] == call and t[7] == holder then return { 'leased', stored(id, true, true), t[5] } end
local posts = redis.call('HINCRBY', task, 'posts', 1)
tell('p ' .. posts .. ' ' .. id)
return { 'posted', stored(id, true, false, added), posts, added and 1 or 0 }
`;

/** Replies with the outcome and, if entries were appended, the fields of `AppendResult` in results.ts. */
export const appendScript = `
local id, holder, epoch, release, ttl, turn, checkpoint, seen, status, state, time, hasEnded = take(12)
local task, log, inbox = key('task', id), key('log', id), key('inbox', id)
local t = redis.call('HMGET', task, 'end', 'epoch', 'holder', 'folded', 'state', 'context', 'tenant', 'owner', 'bytes', 'items')
if not t[1] then return { 'forgotten' } end
local generation, nth = placeOf(t[1])
local gone = {}
for _ = 1, take(1) do gone[take(1)] = true end

local added, events, isWrong = {}, 0, false
for _ = 1, take(1) do
  local of, kind, body = take(3)
  of = tonumber(of)
  local item = string.sub(kind, 2)
  kind = string.sub(kind, 1, 1)
  local isNew = of > generation
  if kind == '2' then
    isNew = redis.call('ZSCORE', inbox, item)
    gone[item] = true
  end
  if isNew then
    if kind ~= '2' then events = events + 1 end
    isWrong = isWrong or of ~= generation + events
    added[#added + 1] = { of, kind, body }
  end
end
if not t[3] and t[2] == epoch and #added == 0 then return { 'released', 0, {}, 0, 0, 0, '', '', 0, t[9] } end
if t[2] ~= epoch or t[3] ~= holder or not isHeld(id) then return { 'lost' } end
if isWrong then return { 'disorder' } end

local last, fields, bytes = generation, {}, 0
local function set(name, value)
  if not value then return end
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
for _, entry in ipairs(added) do
  nth = entry[1] == last and nth + 1 or 0
  last = entry[1]
  redis.call('XADD', log, last .. '-' .. nth, entry[2], entry[3])
  bytes = bytes + #entry[3]
end
local place = last .. '-' .. nth
if #added > 0 then set('end', place) end
local isStatus = status ~= '' and tonumber(status) > generation
local wasOver = redis.call('ZSCORE', ended, id)
local isOver = wasOver or (isStatus and hasEnded == '1')
local keptBefore = keptBytes(id)
-- No turn follows the end, so what is known of the caller of the last one goes.
if isOver then
  set('turn', endedTurn)
  redis.call('HDEL', task, 'checkpoint')
else
  set('turn', opt(turn))
  set('checkpoint', opt(checkpoint))
end
if isStatus and state ~= t[5] then set('state', state) end
if #fields > 0 then redis.call('HSET', task, unpack(fields)) end
bytes = bytes + keptBytes(id) - keptBefore
if isStatus then
  local lists = listsOf(t[7], t[8], t[6], state)
  for number, list in ipairs(listsOf(t[7], t[8], t[6], t[5])) do
    redis.call('ZADD', lists[number], time, id)
    if lists[number] ~= list then redis.call('ZREM', list, id) end
  end
end

local taken = 0
for item in pairs(gone) do
  if redis.call('ZREM', inbox, item) == 1 then
    taken = taken + redis.call('HSTRLEN', key('items', id), item)
    redis.call('HDEL', key('items', id), item)
  end
end
if taken > 0 then redis.call('HINCRBY', task, 'inboxBytes', -taken) end
resize(id, t[7], t[8], bytes - taken, wasOver)
if isOver and not wasOver then
  noteEnd(id)
  count(t[7], t[8], 'tasks', -1)
  count(t[7], t[8], 'hooks', -redis.call('SCARD', key('hooks', id)))
  count(t[7], t[8], 'ended', t[9] + bytes - taken)
end

-- The holder has the items up to a number already: these are not read.
local rest = {}
for number, item in ipairs(redis.call('ZRANGE', inbox, '(' .. seen, '+inf', 'BYSCORE')) do
  rest[number] = redis.call('HGET', key('items', id), item)
end
local released = release == '1' and redis.call('ZCARD', inbox) == 0
if released then
  redis.call('HDEL', task, 'holder')
  redis.call('ZREM', leases, id)
else
  redis.call('ZADD', leases, 'GT', now + ttl, id)
end

local isDue = false
if last > generation then
  for _, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do
    local ref = joined(id) .. hook
    local h = redis.call('HMGET', key('hook', ref), 'delivered', 'givenUp')
    if not h[2] and tonumber(h[1]) < last and redis.call('ZADD', due, 'NX', now, ref) == 1 then isDue = true end
  end
end
if #added > 0 then tell('g ' .. place .. ' ' .. id) end
if isDue then tell('d ') end
return { 'appended', released and 1 or 0, rest, isDue and 1 or 0, #added, last - (placeOf(t[4])), t[1], place,
  t[10] or 0, t[9] + bytes - taken }
`;

/** Replies with a task of any scope, or `null` if the id does not exist. */
export const snapshotScript = `
local id = take(1)
if redis.call('EXISTS', key('task', id)) == 0 then return false end
return stored(id, true, false)
`;

/**
 * Replaces the snapshot at a position with a later snapshot. Replies 1 if the log that it replaces was removed, and 0
 * otherwise. `size` is the size of the old snapshot and of the entries in the new snapshot.
 */
export const foldScript = `
local id, folded, size, place, snapshot, artifacts, trims = take(7)
local task = key('task', id)
local t = redis.call('HMGET', task, 'folded', 'tenant', 'owner')
if not t[1] then return 0 end
if t[1] == folded and isBefore(folded, place) then
  redis.call('HSET', task, 'folded', place, 'task', snapshot)
  artifacts = opt(artifacts)
  if artifacts then redis.call('HSET', task, 'artifacts', artifacts)
  else redis.call('HDEL', task, 'artifacts') end
  resize(id, t[2], t[3], #snapshot + #(artifacts or '') - size, redis.call('ZSCORE', ended, id))
end
return trims == '1' and trim(id) == 'trimmed' and 1 or 0
`;

/**
 * Replies with the end of the log and the entries after a position. If these entries were removed, replies with the end
 * and the task.
 */
export const batchScript = `
local id, after, limit = take(3)
local t = redis.call('HMGET', key('task', id), 'trimmed', 'end')
if t[1] and isBefore(after, t[1]) then return { t[2], {}, stored(id, true, true) } end
local found = entriesAfter(id, '(' .. after, tonumber(limit), pageBytes)
local last, entries = after, {}
for number, entry in ipairs(found) do last, entries[number] = entry[1], entry[2][2] end
return { last, entries }
`;
