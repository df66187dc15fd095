/** Replies 1 where the task was added, and 0 where its id is taken. */
export const createScript = `
local id, call, tenant, owner, context, state, time, hasEnded = take(8)
local last, snapshot, artifacts, turn, checkpoint, holder, ttl = take(7)
context, artifacts, checkpoint, holder = opt(context), opt(artifacts), opt(checkpoint), opt(holder)
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

local fields = {
  'tenant', tenant, 'owner', owner, 'state', state, 'task', snapshot, 'folded', last, 'end', last, 'turn', turn,
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
if hasEnded == '1' then noteEnd(id) end

for _ = 1, take(1) do
  local place, kind, body = take(3)
  redis.call('XADD', key('log', id), place, kind, body)
end
local isDue = false
for _ = 1, take(1) do
  local hook, after, body = take(3)
  isDue = putHook(id, hook, after, body, (placeOf(last))) or isDue
end
tell('g ' .. last .. ' ' .. id)
if isDue then tell('d ') end
return 1
`;

/** Replies with a task; `null` where the scope has none of this id. */
export const readScript = `
local id, tenant, owner = take(3)
local task = redis.call('HMGET', key('task', id), 'tenant', 'owner')
if task[1] ~= tenant or task[2] ~= owner then return false end
return stored(id, true)
`;

/** Replies with the outcome, the task, and the epoch of the lease or the number of posts. */
export const postScript = `
local id, tenant, owner, call, item, body, holder, ttl, generation, context, room = take(11)
local task = key('task', id)
local t = redis.call('HMGET', task, 'tenant', 'owner', 'context', 'end', 'epoch', 'call', 'holder', 'posts')
if t[1] ~= tenant or t[2] ~= owner then return false end
generation, context, room = opt(generation), opt(context), opt(room)

local inbox = key('inbox', id)
local items = redis.call('LRANGE', inbox, 0, -1)
local isThere, posted = false, key('posted', id)
for number = 1, #items, 2 do isThere = isThere or items[number] == item end
if not isThere then
  -- A client sends a call again whose response it has lost, when the item may have been taken already.
  if redis.call('LPOS', posted, item) then return { 'posted', stored(id, true), t[8] or 0 } end
  local outcome
  if redis.call('ZSCORE', ended, id) then outcome = 'ended'
  elseif context and context ~= t[3] then outcome = 'otherContext'
  elseif generation and tonumber(generation) ~= (placeOf(t[4])) then outcome = 'otherGeneration'
  elseif room and #items / 2 >= tonumber(room) then outcome = 'full' end
  if outcome then return { outcome, stored(id, true), 0 } end
  redis.call('RPUSH', inbox, item, body)
  redis.call('LPUSH', posted, item)
  redis.call('LTRIM', posted, 0, 15)
end

if not isHeld(id) then
  local epoch = redis.call('HINCRBY', task, 'epoch', 1)
  redis.call('HSET', task, 'call', call)
  hold(id, holder, ttl)
  return { 'leased', stored(id, true), epoch }
end
-- Where a call is sent again that has leased the task, the lease is still the caller's.
if t[6] == call and t[7] == holder then return { 'leased', stored(id, true), t[5] } end
local posts = redis.call('HINCRBY', task, 'posts', 1)
tell('p ' .. posts .. ' ' .. id)
return { 'posted', stored(id, true), posts }
`;

/** Replies with the outcome and, where entries were appended, what `AppendReply` in results.ts says. */
export const appendScript = `
local id, holder, epoch, release, ttl, turn, checkpoint, status, state, time, hasEnded = take(11)
local task, log, inbox = key('task', id), key('log', id), key('inbox', id)
local t = redis.call('HMGET', task, 'end', 'epoch', 'holder', 'folded', 'state', 'context', 'tenant', 'owner')
if not t[1] then return { 'forgotten' } end
local generation, nth = placeOf(t[1])
local items = redis.call('LRANGE', inbox, 0, -1)
local waiting, gone = {}, {}
for number = 1, #items, 2 do waiting[items[number]] = true end
for _ = 1, take(1) do gone[take(1)] = true end

local added, events, isWrong = {}, 0, false
for _ = 1, take(1) do
  local of, kind, body = take(3)
  of = tonumber(of)
  local item = string.sub(kind, 2)
  kind = string.sub(kind, 1, 1)
  local isNew = of > generation
  if kind == '2' then
    isNew = waiting[item]
    gone[item] = true
  end
  if isNew then
    if kind ~= '2' then events = events + 1 end
    isWrong = isWrong or of ~= generation + events
    added[#added + 1] = { of, kind, body }
  end
end
if not t[3] and t[2] == epoch and #added == 0 then return { 'released' } end
if t[2] ~= epoch or t[3] ~= holder or not isHeld(id) then return { 'lost' } end
if isWrong then return { 'disorder' } end

local last, fields = generation, {}
local function set(name, value)
  if not value then return end
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
for _, entry in ipairs(added) do
  nth = entry[1] == last and nth + 1 or 0
  last = entry[1]
  redis.call('XADD', log, last .. '-' .. nth, entry[2], entry[3])
end
local place = last .. '-' .. nth
if #added > 0 then set('end', place) end
set('turn', opt(turn))
set('checkpoint', opt(checkpoint))
local isStatus = status ~= '' and tonumber(status) > generation
if isStatus and state ~= t[5] then set('state', state) end
if #fields > 0 then redis.call('HSET', task, unpack(fields)) end
if isStatus then
  local lists = listsOf(t[7], t[8], t[6], state)
  for number, list in ipairs(listsOf(t[7], t[8], t[6], t[5])) do
    redis.call('ZADD', lists[number], time, id)
    if lists[number] ~= list then redis.call('ZREM', list, id) end
  end
  if hasEnded == '1' then noteEnd(id) end
end

local rest, kept = {}, {}
for number = 1, #items, 2 do
  if not gone[items[number]] then
    rest[#rest + 1] = items[number + 1]
    kept[#kept + 1] = items[number]
  end
end
if #rest * 2 < #items then
  redis.call('DEL', inbox)
  for number, body in ipairs(rest) do redis.call('RPUSH', inbox, kept[number], body) end
end
local released = release == '1' and #rest == 0
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
return { 'appended', released and 1 or 0, rest, isDue and 1 or 0, #added, last - (placeOf(t[4])), t[1], place }
`;

/** Replies with a task of whatever scope; `null` where there is none of this id. */
export const snapshotScript = `
local id = take(1)
if redis.call('EXISTS', key('task', id)) == 0 then return false end
return stored(id, true)
`;

/** Replaces a snapshot with a later one, and replies whether the log has gone that it was made of: 1, and else 0. */
export const foldScript = `
local id, place, snapshot, artifacts, trims = take(5)
local task = key('task', id)
local before = redis.call('HGET', task, 'folded')
if not before then return 0 end
if isBefore(before, place) then
  redis.call('HSET', task, 'folded', place, 'task', snapshot)
  if artifacts == '' then redis.call('HDEL', task, 'artifacts')
  else redis.call('HSET', task, 'artifacts', opt(artifacts)) end
end
return trims == '1' and trim(id) == 'trimmed' and 1 or 0
`;

/** Replies with the last place and entries after a place; where these have gone, with the last one and the task. */
export const batchScript = `
local id, after, limit = take(3)
local t = redis.call('HMGET', key('task', id), 'trimmed', 'end')
if t[1] and isBefore(after, t[1]) then return { t[2], {}, stored(id, true) } end
local found = redis.call('XRANGE', key('log', id), '(' .. after, '+', 'COUNT', limit)
local last, entries = after, {}
for number, entry in ipairs(found) do last, entries[number] = entry[1], entry[2][2] end
return { last, entries }
`;
