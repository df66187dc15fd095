/**
 * Replies with a result for each append, in the same order: the outcome and, if entries were appended, the fields of
 * `AppendResult` in results.ts. For a failed append, replies with its error. A failed append does not affect the other
 * appends.
 */
export const appendScript = `
-- Bytes that the appends add to the usage of each owner.
local sizes = {}

-- Changes of logs, of which other processes are notified together.
local changes = {}

local function append(expires)
  local id, holder, epoch, release, ttl, turn, checkpoint, seen, status, state, time, hasEnded, rests = take(13)
  local task, inbox = key('task', id), key('inbox', id)
  local t = redis.call('HMGET', task, 'end', 'epoch', 'holder', 'folded', 'state', 'context', 'tenant', 'owner', 'bytes',
    'items', 'inboxBytes', 'hooks', 'over', 'listed')
  if not t[1] then return { 'forgotten' } end
  local generation, nth = placeOf(t[1])
  local isEmpty = (t[11] or '0') == '0'
  local gone
  for _ = 1, take(1) do
    gone = gone or {}
    gone[take(1)] = true
  end

  local added, events, isWrong = {}, 0, false
  for _ = 1, take(1) do
    local of, kind, body = take(3)
    of = tonumber(of)
    local isNew = of > generation
    if #kind > 1 then
      local item = string.sub(kind, 2)
      isNew = not isEmpty and redis.call('ZSCORE', inbox, item)
      gone = gone or {}
      gone[item] = true
      kind = '2'
    end
    if isNew then
      if kind ~= '2' then events = events + 1 end
      isWrong = isWrong or of ~= generation + events
      added[#added + 1] = { of, kind, body }
    end
  end
  if not t[3] and t[2] == epoch and #added == 0 then return { 'released', 0, {}, 0, 0, 0, '', '', 0, t[9] } end
  if t[2] ~= epoch or t[3] ~= holder then return { 'lost' } end
  if expires <= now then return { 'lost' } end
  if isWrong then return { 'disorder' } end

  local last, bytes, log = generation, 0, key('log', id)
  for _, entry in ipairs(added) do
    nth = entry[1] == last and nth + 1 or 0
    last = entry[1]
    redis.call('XADD', log, last .. '-' .. nth, entry[2], entry[3])
    bytes = bytes + #entry[3]
  end
  local place = last .. '-' .. nth
  local isStatus = status ~= '' and tonumber(status) > generation
  -- Only tasks that earlier versions have written do not have the mark.
  local wasOver = t[13] or (terminal[t[5]] and redis.call('ZSCORE', ended, id))
  local isOver = wasOver or (isStatus and hasEnded == '1')
  local fields = { 'end', place }
  -- No turn follows the end of a task, so remove the facts about the last caller.
  local turnText, checkpointText = opt(turn), opt(checkpoint)
  if isOver then turnText, checkpointText = endedTurn, nil end
  if turnText or checkpointText then
    bytes = bytes - keptBytes(id)
    if isOver then redis.call('HDEL', task, 'checkpoint') end
    if turnText then redis.call('HSET', task, 'turn', turnText) end
    if checkpointText then redis.call('HSET', task, 'checkpoint', checkpointText) end
    bytes = bytes + keptBytes(id)
  end

  if gone and not isEmpty then
    local taken = 0
    for item in pairs(gone) do
      if redis.call('ZREM', inbox, item) == 1 then
        taken = taken + redis.call('HSTRLEN', key('items', id), item)
        redis.call('HDEL', key('items', id), item)
      end
    end
    if taken > 0 then
      fields[3], fields[4] = 'inboxBytes', t[11] - taken
      isEmpty = t[11] - taken == 0
      bytes = bytes - taken
    end
  end
  local size = #fields
  fields[size + 1], fields[size + 2] = 'bytes', t[9] + bytes
  local released = release == '1' and isEmpty
  local scope = scopeOf(t[7], t[8])
  if isStatus then
    fields[size + 3], fields[size + 4] = 'time', time
    if state ~= t[5] or not t[14] then
      fields[size + 5], fields[size + 6], fields[size + 7], fields[size + 8] = 'state', state, 'listed', t[14] or t[5]
    end
  end
  redis.call('HSET', task, unpack(fields))
  if isStatus or t[14] then
    -- While a process works on a task, lists learn of its status only when they are read.
    local moving = key('moving', scope)
    if released or rests == '1' or (not t[14] and redis.call('SCARD', moving) >= maxMoving) then settle(id)
    elseif not t[14] then redis.call('SADD', moving, id) end
  end

  local usage = sizes[scope]
  if not usage then
    usage = { stored = 0, ended = 0 }
    sizes[scope] = usage
  end
  usage.stored = usage.stored + bytes
  if wasOver then usage.ended = usage.ended + bytes end
  if isOver and not wasOver then
    noteEnd(id)
    count(t[7], t[8], 'tasks', -1)
    count(t[7], t[8], 'hooks', -redis.call('SCARD', key('hooks', id)))
    usage.ended = usage.ended + t[9] + bytes
  end

  -- The lease holder already has the items up to a number, so they are not read.
  local rest = {}
  if not isEmpty then
    for number, item in ipairs(redis.call('ZRANGE', inbox, '(' .. seen, '+inf', 'BYSCORE')) do
      rest[number] = redis.call('HGET', key('items', id), item)
    end
  end
  if released then
    redis.call('HDEL', task, 'holder')
    redis.call('ZREM', leases, id)
  elseif expires < now + ttl * 2 / 3 then
    redis.call('ZADD', leases, now + ttl, id)
  end

  local isDue = false
  if last > generation and t[12] ~= '0' then
    for _, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do
      local ref = joined(id) .. hook
      local h = redis.call('HMGET', key('hook', ref), 'delivered', 'givenUp')
      if not h[2] and tonumber(h[1]) < last and redis.call('ZADD', due, 'NX', now, ref) == 1 then isDue = true end
    end
  end
  if #added > 0 then
    local change = 'g ' .. place .. ' ' .. id
    if string.find(id, '\\n', 1, true) then tell(change) else changes[#changes + 1] = change end
  end
  if isDue then tell('d ') end
  return { 'appended', released and 1 or 0, rest, isDue and 1 or 0, #added, last - (placeOf(t[4])), t[1], place,
    t[10] or 0, t[9] + bytes }
end

local total = tonumber((take(1)))
local ids, place, verdicts = {}, at, {}
for number = 1, total do
  ids[number] = ARGV[place + 2]
  place = place + 1 + ARGV[place + 1]
end
local expiries = redis.call('ZMSCORE', leases, unpack(ids))
for number = 1, total do
  local after = at + 1 + ARGV[at + 1]
  at = at + 1
  local isDone, verdict = pcall(append, tonumber(expiries[number] or 0))
  if not isDone then
    verdict = { 'failed', type(verdict) == 'table' and verdict.err or tostring(verdict) }
  end
  verdicts[number] = verdict
  at = after
end
for scope, size in pairs(sizes) do
  local usage = key('usage', scope)
  if size.stored ~= 0 then redis.call('HINCRBY', usage, 'stored', size.stored) end
  if size.ended ~= 0 then redis.call('HINCRBY', usage, 'ended', size.ended) end
end
if #changes == 1 then tell(changes[1]) elseif #changes > 1 then tell('m\\n' .. table.concat(changes, '\\n')) end
return verdicts
`;
