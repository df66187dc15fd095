import { hugeBytes } from "../../log/compaction.js";
import type { ScriptParts } from "./common.js";

/** Appends events to tasks of which nothing else changes. Almost all appends do only this. */
const quick = `
-- Bytes that the appends add to the usage of each owner.
local sizes = {}

-- Changes of logs by channel. Processes are notified of the changes of a channel together.
local changes

local call, tasks, logsOf, plus = redis.call, key('task', ''), key('log', ''), string.byte('+')

local function note(ofChannel, change)
  changes = changes or {}
  local own = changes[ofChannel]
  if own then own[#own + 1] = change else changes[ofChannel] = { change } end
end

-- Notes a change for the processes that may watch the task.
local function noteGrowth(watchedUntil, watchers, change)
  if not watchedUntil or tonumber(watchedUntil) <= now then return end
  if (watchers or '') == '' then note(channel, change) else
    for name in string.gmatch(watchers, '%S+') do note(channel .. ':' .. name, change) end
  end
end

local function usageOf(scope)
  local usage = sizes[scope]
  if not usage then
    usage = { stored = 0, ended = 0 }
    sizes[scope] = usage
  end
  return usage
end

-- The owner of the last task, and the usage of this owner. Most tasks of a call have the same
-- owner.
local lastTenant, lastOwner, lastUsage

-- Appends events to a task whose state, inbox and webhooks do not change, and replies with the size
-- of the task. Returns nil without any change if the task is in another condition.
local function appendEvents(from, to, expires)
  local id, holder, epoch, before, ttl, seen, state, time = unpack(ARGV, from, from + 7)
  local task = tasks .. id
  local logEnd, heldEpoch, heldBy, oldState, oldBytes, items, hooks, over, listed, tenant, owner,
    watched, watchers = unpack(call('HMGET', task, 'end', 'epoch', 'holder', 'state', 'bytes',
    'items', 'hooks', 'over', 'listed', 'tenant', 'owner', 'watched', 'watchers'))
  if logEnd ~= before or heldEpoch ~= epoch or heldBy ~= holder or expires <= now then return end
  -- If the holder has seen the last item, the reply contains no items, even if the inbox is not
  -- empty.
  if (items or '0') ~= seen or hooks ~= '0' or over then return end
  -- The state of an append that only adds events is never terminal.
  if state == '' then
    if isTerminal(oldState) then return end
  elseif state ~= oldState or not listed then return end
  local size = tonumber(oldBytes)
  if size > ${String(hugeBytes)} then return end

  local bytes, log, place = 0, logsOf .. id
  for entry = from + 8, to, 3 do
    place = ARGV[entry]
    local body = ARGV[entry + 2]
    call('XADD', log, place, ARGV[entry + 1], body)
    bytes = bytes + #body
  end
  size = size + bytes
  -- The server formats numbers as floating-point numbers, which takes longer.
  local sizeText = string.format('%d', size)
  if state ~= '' then call('HSET', task, 'end', place, 'bytes', sizeText, 'time', time)
  else call('HSET', task, 'end', place, 'bytes', sizeText) end
  if expires < now + ttl * 2 / 3 then call('ZADD', leases, now + ttl, id) end
  if tenant ~= lastTenant or owner ~= lastOwner then
    lastTenant, lastOwner, lastUsage = tenant, owner, usageOf(scopeOf(tenant, owner))
  end
  lastUsage.stored = lastUsage.stored + bytes
  noteGrowth(watched, watchers, 'g ' .. place .. ' ' .. id)
  return size
end

-- The ids of the tasks, the numbers of the first arguments of the appends, and the ends of the
-- leases.
local ids, places, from = {}, {}, at + 2
for number = 1, tonumber(ARGV[at + 1]) do
  ids[number], places[number] = ARGV[from + 1], from
  from = from + 1 + ARGV[from]
end
local expiries, verdicts = call('ZMSCORE', leases, unpack(ids)), {}

-- Keeps the verdict of an append, or its error.
local function keep(number, isDone, verdict)
  if not isDone then
    verdict = { 'failed', type(verdict) == 'table' and verdict.err or tostring(verdict) }
  end
  verdicts[number] = verdict
end

-- The numbers of the appends that need the functions below.
local others
for number, from in ipairs(places) do
  local count, isDone, verdict = ARGV[from], true
  if string.byte(count) == plus then
    isDone, verdict = pcall(appendEvents, from + 1, from + count, tonumber(expiries[number] or 0))
  end
  if isDone and not verdict then
    others = others or {}
    others[#others + 1] = number
  else
    keep(number, isDone, verdict)
  end
end

-- Writes what the appends have in common.
local function finish()
  for scope, size in pairs(sizes) do
    local usage = key('usage', scope)
    if size.stored ~= 0 then call('HINCRBY', usage, 'stored', size.stored) end
    if size.ended ~= 0 then call('HINCRBY', usage, 'ended', size.ended) end
  end
  for ofChannel, own in pairs(changes or {}) do
    call('PUBLISH', ofChannel, #own == 1 and own[1] or 'm\\n' .. table.concat(own, '\\n'))
  end
  return verdicts
end
if not others then reply = finish() end
`;

/** Executes all other appends. */
const body = `
local function append(expires)
  local id, holder, epoch, release, ttl, turn, checkpoint, seen, status, state, time, hasEnded,
    rests, wakeIn = take(14)
  local task, inbox = key('task', id), key('inbox', id)
  local logEnd, heldEpoch, heldBy, folded, oldState, tenant, owner, oldBytes, items, inboxBytes,
    hooks, over, listed, watched, watchers = unpack(redis.call('HMGET', task, 'end', 'epoch',
    'holder', 'folded', 'state', 'tenant', 'owner', 'bytes', 'items', 'inboxBytes', 'hooks', 'over',
    'listed', 'watched', 'watchers'))
  if not logEnd then return { 'forgotten' } end
  local generation, nth = placeOf(logEnd)
  local isEmpty = (inboxBytes or '0') == '0'
  local gone
  for _ = 1, take(1) do
    gone = gone or {}
    gone[take(1)] = true
  end

  local added, events, isWrong = {}, 0, false
  for _ = 1, take(1) do
    local entryGeneration, kind, body = take(3)
    entryGeneration = tonumber(entryGeneration)
    local isNew = entryGeneration > generation
    -- The kind of a message is followed by the id of its item.
    if #kind > 1 then
      local item = string.sub(kind, 2)
      isNew = not isEmpty and redis.call('ZSCORE', inbox, item)
      gone = gone or {}
      gone[item] = true
      kind = '2'
    end
    if isNew then
      if kind ~= '2' then events = events + 1 end
      isWrong = isWrong or entryGeneration ~= generation + events
      added[#added + 1] = { entryGeneration, kind, body }
    end
  end
  -- A repeated append whose first call has released the lease.
  if not heldBy and heldEpoch == epoch and #added == 0 then
    return { 'released', 0, {}, 0, 0, 0, '', '', 0, oldBytes }
  end
  if heldEpoch ~= epoch or heldBy ~= holder then return { 'lost' } end
  if expires <= now then return { 'lost' } end
  if isWrong then return { 'disorder' } end

  local last, bytes, log = generation, 0, key('log', id)
  local place = logEnd
  for _, entry in ipairs(added) do
    nth = entry[1] == last and nth + 1 or 0
    last = entry[1]
    place = last .. '-' .. nth
    redis.call('XADD', log, place, entry[2], entry[3])
    bytes = bytes + #entry[3]
  end
  local isStatus = status ~= '' and tonumber(status) > generation
  -- Only tasks that earlier versions have written do not have the mark.
  local wasOver = over or (isTerminal(oldState) and redis.call('ZSCORE', ended, id))
  local isOver = wasOver or (isStatus and hasEnded == '1')
  local fields = { 'end', place }
  -- No turn follows the end of a task, so remove the facts about the last caller, and only keep the
  -- checkpoint of the end.
  local turnText, checkpointText = opt(turn), opt(checkpoint)
  if isOver then turnText = endedTurn end
  if wasOver then checkpointText = nil end
  if turnText or checkpointText then
    bytes = bytes - keptBytes(id)
    if isOver and not wasOver then redis.call('HDEL', task, 'checkpoint') end
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
      fields[3], fields[4] = 'inboxBytes', inboxBytes - taken
      isEmpty = inboxBytes - taken == 0
      bytes = bytes - taken
    end
  end
  local size = #fields
  fields[size + 1], fields[size + 2] = 'bytes', oldBytes + bytes
  local released = release == '1' and isEmpty
  local scope = scopeOf(tenant, owner)
  if isStatus then
    fields[size + 3], fields[size + 4] = 'time', time
    if state ~= oldState or not listed then
      fields[size + 5], fields[size + 6], fields[size + 7], fields[size + 8] = 'state', state,
        'listed', listed or oldState
    end
  end
  redis.call('HSET', task, unpack(fields))
  -- While a process works on a task, lists learn of its status only when they are read.
  if (isStatus or listed) and (released or rests == '1') then
    settle(id)
  elseif isStatus and not listed then
    local moving = key('moving', scope)
    if redis.call('SCARD', moving) >= maxMoving then settle(id)
      else redis.call('SADD', moving, id) end
  end

  local usage = usageOf(scope)
  usage.stored = usage.stored + bytes
  if wasOver then usage.ended = usage.ended + bytes end
  if isOver and not wasOver then
    noteEnd(id)
    count(tenant, owner, 'tasks', -1)
    count(tenant, owner, 'hooks', -redis.call('SCARD', key('hooks', id)))
    usage.ended = usage.ended + oldBytes + bytes
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
    if opt(wakeIn) then redis.call('ZADD', leases, now + opt(wakeIn), id) end
  elseif expires < now + ttl * 2 / 3 then
    redis.call('ZADD', leases, now + ttl, id)
  end

  local isDue = false
  if last > generation and hooks ~= '0' then
    for _, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do
      local ref = joined(id) .. hook
      local delivered, givenUp = unpack(redis.call('HMGET', key('hook', ref), 'delivered',
        'givenUp'))
      local isBehind = not givenUp and tonumber(delivered) < last
      if isBehind and redis.call('ZADD', due, 'NX', now, ref) == 1 then isDue = true end
    end
  end
  if #added > 0 then
    local change = 'g ' .. place .. ' ' .. id
    -- A notification of several changes separates them by newlines.
    if string.find(id, '\\n', 1, true) then tell(change)
      else noteGrowth(watched, watchers, change) end
  end
  return { 'appended', released and 1 or 0, rest, isDue and 1 or 0, #added,
    last - (placeOf(folded)), logEnd, place, items or 0, oldBytes + bytes }
end

-- Appends the same events like any other append. The list has the arguments of that append, in
-- which number 9 is the generation of the status.
local function appendEventsSlowly(from, to, expires)
  local id, holder, epoch, _, ttl, seen, state, time = unpack(ARGV, from, from + 7)
  local list = { id, holder, epoch, '0', ttl, '', '', seen, '', state, time, '0', '0', '', '0',
    tostring((to - from - 7) / 3) }
  for entry = from + 8, to, 3 do
    local generation = string.match(ARGV[entry], '^%d+')
    if ARGV[entry + 1] == '0' then list[9] = generation end
    list[#list + 1], list[#list + 2], list[#list + 3] = generation, ARGV[entry + 1], ARGV[entry + 2]
  end
  args, at = list, 0
  return append(expires)
end

for _, number in ipairs(others) do
  local from, expires = places[number], tonumber(expiries[number] or 0)
  local count = ARGV[from]
  if string.byte(count) == plus then
    keep(number, pcall(appendEventsSlowly, from + 1, from + count, expires))
  else
    args, at = ARGV, from
    keep(number, pcall(append, expires))
  end
end
return finish()
`;

/**
 * Replies with a result for each append, in the same order: the outcome and, if entries were
 * appended, the fields of `AppendResult` in results.ts. For a failed append, replies with its
 * error. A failed append does not affect the other appends.
 */
export const appendScript: ScriptParts = { quick, body };
