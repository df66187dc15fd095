import { hookBytes, pageBytes } from "../../../kit/limits/size.js";
import { TaskState } from "../../../kit/model.js";
import { isTerminal } from "../../../kit/states.js";
import { readableBytes } from "../../log/decode.js";
import { kinds } from "../../log/rows.js";
import { largeBytes } from "../../log/compaction.js";
import { repeatWithinMs } from "../../../kit/store/changes.js";

/** Version of the layout of all keys. */
export const keysVersion = 4;

/** Earlier versions whose keys this version reads and continues to use. */
const readableVersions = [2, 3];

/** The states of tasks that have ended, each between two spaces, so that a search creates no table. */
const terminal = ` ${Object.values(TaskState).filter(isTerminal).join(" ")} `;

/**
 * Beginning of all scripts. Each script implements one method and is atomic: the server runs no
 * other command in the meantime. A script checks everything before its first write, because Redis
 * does not roll back a failed script. Its first arguments are the channel and the tag of the call;
 * the reply begins with the tag.
 *
 * Keys, all of which begin with the only key that a script receives:
 *
 * - `task:ID`: fields of a task. `end` and `folded` are the positions of the end of its log and of
 *   its snapshot; `trimmed` is the position up to which the log was removed; `over` is set if the
 *   task has ended, and `hooks` is 0 if it never had a webhook. Other processes than the lease
 *   holder may watch the task until the time `watched`
 * - `log:ID`: the entries. Ids consist of the generation and the number of messages since; the kind
 *   of an entry is the name of its field
 * - `inbox:ID`: ids of items by number; `items:ID`: their bodies; `recent:ID`: ids of posted items,
 *   including items already taken, by the time after which no client repeats their calls. Earlier
 *   versions wrote `posted:ID`
 * - `hooks:ID`, `hook:REF`: ids of the webhooks of a task, and each webhook
 * - `all:…`, `state:…`, `context:…`, `both:…`: tasks of a scope by the time of their status
 * - `moving:SCOPE`: tasks whose current status the lists do not contain yet. `state` and `time` are
 *   the status of a task, and `listed` is its state in the lists
 * - `usage:SCOPE`: number of open tasks of an owner, number of their webhooks, bytes of all tasks,
 *   and bytes of ended tasks; `owners:TENANT`: owners with tasks
 * - `leases`, `ended`, `due`: tasks by the end of their lease or the time they wake, tasks by the time they ended, and
 *   webhooks by the time they are due
 * - `searched`, `searches`: the time of the last routine search for expired leases, and the number
 *   of these searches
 * - `marks`: marks of the database, if it is part of a store of several databases
 * - `call:CALL`: the tasks or webhooks that a call has claimed, with their epochs, until their
 *   leases expire
 * - `logs`: ended tasks that still have a log, by the time they ended, or by the last time a
 *   webhook still needed the log
 */
const start = `
local base, channel, tag, args, at = KEYS[1], ARGV[1], ARGV[2], ARGV, 2
local version = redis.call('GET', base .. ':version')
if ${readableVersions.map((known) => `version == '${String(known)}'`).join(" or ")} then
  redis.call('SET', base .. ':version', knownVersion)
elseif version and version ~= knownVersion then
  -- A later version is followed by the oldest version of the store that may use its keys.
  local later, oldest = string.match(version, '^(%d+) ?(%d*)$')
  if tonumber(oldest or '') == nil or tonumber(oldest) > tonumber(knownVersion) then
    return redis.error_reply('A2AVERSION ' .. (later or version))
  end
end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local leases = base .. ':leases'

local function key(kind, id) return base .. ':' .. kind .. ':' .. id end

-- Returns a text that is different for different pairs of texts.
local function scopeOf(tenant, owner) return #tenant .. ':' .. tenant .. #owner .. ':' .. owner end

-- Returns whether a task in a state has ended.
local function isTerminal(state) return string.find('${terminal}', ' ' .. state .. ' ', 1, true) end
`;

/** Functions that scripts share. */
const shared = `
-- Maximum bytes of a reply, of a webhook and of a task, and the number of bytes above which a task
-- is large.
local pageBytes, hookBytes, readableBytes = ${[pageBytes, hookBytes, readableBytes].join(", ")}
local largeBytes = ${String(largeBytes)}

-- Milliseconds for which the id of a posted item is remembered.
local repeatWithinMs = ${String(repeatWithinMs)}

-- Maximum number of tasks of an owner whose current status the lists do not contain yet.
local maxMoving = 500

local ended, due, logs = base .. ':ended', base .. ':due', base .. ':logs'

-- The kinds of entries that are chunks of artifacts, and messages.
local artifactKind, messageKind = '${String(kinds.artifact)}', '${String(kinds.message)}'
-- The turn that is stored for a task that has ended.
local endedTurn = '{"id":""}'

-- Returns the next arguments of the script.
local function take(count)
  at = at + count
  return unpack(args, at - count + 1, at)
end

-- Returns an optional argument, or nil if it is absent.
local function opt(text)
  if text == '' then return nil end
  return string.sub(text, 2)
end

-- Returns a text that is different for different parts.
local function joined(...)
  local text = ''
  for _, part in ipairs({...}) do text = text .. #part .. ':' .. part end
  return text
end

local function placeOf(text)
  local generation, nth = string.match(text, '^(%d+)-(%d+)$')
  return tonumber(generation), tonumber(nth)
end

local function isBefore(place, laterPlace)
  local generation, nth = placeOf(place)
  local laterGeneration, laterNth = placeOf(laterPlace)
  return generation < laterGeneration or (generation == laterGeneration and nth < laterNth)
end

local function listsOf(tenant, owner, context, state)
  local scope = scopeOf(tenant, owner)
  local lists = { key('all', scope), key('state', scope .. state) }
  if context then
    scope = scope .. joined(context)
    lists[3], lists[4] = key('context', scope), key('both', scope .. state)
  end
  return lists
end

-- Writes the status of a task to the lists, if they do not have it yet.
local function settle(id)
  local task = key('task', id)
  local tenant, owner, context, state, time, listed = unpack(redis.call('HMGET', task, 'tenant',
    'owner', 'context', 'state', 'time', 'listed'))
  if not listed then return end
  for _, list in ipairs(listsOf(tenant, owner, context, state)) do
    redis.call('ZADD', list, time, id)
  end
  if listed ~= state then
    -- The lists of the earlier state are the second and the fourth list.
    local before = listsOf(tenant, owner, context, listed)
    redis.call('ZREM', before[2], id)
    if before[4] then redis.call('ZREM', before[4], id) end
  end
  redis.call('HDEL', task, 'listed')
  redis.call('SREM', key('moving', scopeOf(tenant, owner)), id)
end

-- Returns entries of a log like XRANGE, up to a maximum number, and fewer if they are large. The
-- size of entries is only known after reading them, so they are read in small batches. Entries of
-- one kind are omitted. A row has the form { position, { kind, body } }.
local function entriesAfter(id, first, limit, maxBytes, exceptKind)
  local found, bytes, part = {}, 0, 16
  while bytes < maxBytes do
    local rows = redis.call('XRANGE', key('log', id), first, '+', 'COUNT', part)
    for _, row in ipairs(rows) do
      if row[2][1] ~= exceptKind then
        bytes = bytes + #row[2][2]
        if #found == limit or (#found > 0 and bytes > maxBytes) then return found end
        found[#found + 1] = row
      end
    end
    if #rows < part then break end
    first = '(' .. rows[#rows][1]
    part = bytes > maxBytes / 16 and 4 or part * 4
  end
  return found
end

-- Returns the size of the item that began the turn of a task, and of its checkpoint.
local function keptBytes(id)
  return redis.call('HSTRLEN', key('task', id), 'turn') + redis.call('HSTRLEN', key('task', id),
    'checkpoint')
end

-- Returns a stored task, without its artifacts or its turn if the caller does not request them, and
-- only 'large' if it is too large. An item that was just posted is not returned to its process.
local function stored(id, artifacts, turn, exceptItem)
  local hash = key('task', id)
  local snapshot, snapshotArtifacts, folded, logEnd, bytes, inboxBytes = unpack(redis.call('HMGET',
    hash, 'task', 'artifacts', 'folded', 'end', 'bytes', 'inboxBytes'))
  if tonumber(bytes) > ${String(readableBytes)} then return 'large' end
  local kept = turn and redis.call('HMGET', hash, 'turn', 'checkpoint') or { false, false }
  local entries, inbox = {}, {}
  if folded ~= logEnd then
    for _, entry in ipairs(redis.call('XRANGE', key('log', id), '(' .. folded, '+')) do
      if artifacts or entry[2][1] ~= artifactKind then entries[#entries + 1] = entry[2][2] end
    end
  end
  for _, item in ipairs(redis.call('ZRANGE', key('inbox', id), 0, -1)) do
    if item ~= exceptItem then inbox[#inbox + 1] = redis.call('HGET', key('items', id), item) end
  end
  local logBytes = bytes - (inboxBytes or 0) - keptBytes(id)
  return { snapshot, artifacts and snapshotArtifacts, folded, logEnd, kept[1], kept[2], entries,
    inbox, bytes, logBytes }
end

-- Adds to the usage of an owner. An owner is listed as long as it has tasks, because each task has
-- some bytes.
local function count(tenant, owner, field, delta)
  if delta == 0 then return end
  local usage = key('usage', scopeOf(tenant, owner))
  local value = redis.call('HINCRBY', usage, field, delta)
  if field ~= 'stored' then return end
  if value == delta then redis.call('SADD', key('owners', tenant), owner) end
  if value <= 0 then
    redis.call('DEL', usage)
    redis.call('SREM', key('owners', tenant), owner)
  end
end

-- Adds to the size of a task.
local function resize(id, tenant, owner, delta, hasEnded)
  if delta == 0 then return end
  redis.call('HINCRBY', key('task', id), 'bytes', delta)
  count(tenant, owner, 'stored', delta)
  if hasEnded then count(tenant, owner, 'ended', delta) end
end

local function hold(id, holder, ttl)
  redis.call('HSET', key('task', id), 'holder', holder)
  redis.call('ZADD', leases, now + ttl, id)
end

-- Whether the time of a lease has not passed. A task that is to be woken has a time, but no holder.
local function isHeld(id)
  local expires = redis.call('ZSCORE', leases, id)
  return expires and tonumber(expires) > now
end

-- Returns the ids and epochs that a call has already claimed, if a client sends the call again.
local function claimedBy(call)
  local claimed = redis.call('GET', key('call', call))
  return claimed and cjson.decode(claimed)
end

local function noteClaimed(call, ttl, claimed)
  if #claimed == 0 then return end
  redis.call('SET', key('call', call), cjson.encode(claimed), 'PX', math.max(1, math.ceil(ttl)))
end

-- Adds a webhook to a task whose log ends with a generation; returns whether it is due, and whether
-- it is new.
local function putHook(id, hook, delivered, body, generation)
  local ref = joined(id) .. hook
  local hash = key('hook', ref)
  -- If a webhook is registered again unchanged, it keeps its undelivered events. Its JSON ends with
  -- the generation.
  local oldBody, oldDelivered = unpack(redis.call('HMGET', hash, 'body', 'delivered'))
  local registered = ',"after":%d+}$'
  if oldBody and string.gsub(oldBody, registered, '') == string.gsub(body, registered, '') then
    delivered = math.min(tonumber(delivered), tonumber(oldDelivered))
  end
  -- Epochs begin at the current time, so that no epoch is reused if a webhook is removed and added
  -- again.
  local epoch = math.max(now, (tonumber(redis.call('HGET', hash, 'epoch')) or 0) + 1)
  redis.call('HSET', hash, 'body', body, 'delivered', delivered, 'failures', 0, 'epoch', epoch)
  redis.call('HDEL', hash, 'holder', 'givenUp')
  local isNew = redis.call('SADD', key('hooks', id), hook) == 1
  redis.call('HSET', key('task', id), 'hooks', 1)
  if tonumber(delivered) < generation then
    redis.call('ZADD', due, now, ref)
    return true, isNew
  end
  redis.call('ZREM', due, ref)
  return false, isNew
end

local function dropHook(id, hook)
  local ref = joined(id) .. hook
  redis.call('DEL', key('hook', ref))
  redis.call('ZREM', due, ref)
end

-- Returns whether the task has not ended before.
local function noteEnd(id)
  if redis.call('ZADD', ended, 'NX', now, id) == 0 then return false end
  redis.call('ZADD', logs, now, id)
  redis.call('HSET', key('task', id), 'over', 1)
  return true
end

-- Removes a task with all its data.
local function remove(id)
  settle(id)
  local tenant, owner, context, state, bytes = unpack(redis.call('HMGET', key('task', id), 'tenant',
    'owner', 'context', 'state', 'bytes'))
  if tenant then
    for _, list in ipairs(listsOf(tenant, owner, context, state)) do
      redis.call('ZREM', list, id)
    end
    if redis.call('ZSCORE', ended, id) then
      count(tenant, owner, 'ended', -tonumber(bytes))
    else
      count(tenant, owner, 'tasks', -1)
      count(tenant, owner, 'hooks', -redis.call('SCARD', key('hooks', id)))
    end
    count(tenant, owner, 'stored', -tonumber(bytes))
  end
  for _, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do dropHook(id, hook) end
  redis.call('UNLINK', key('task', id), key('log', id), key('inbox', id), key('items', id),
    key('posted', id), key('recent', id),
    key('hooks', id))
  redis.call('ZREM', leases, id)
  redis.call('ZREM', ended, id)
  redis.call('ZREM', logs, id)
end

-- Removes the log of a task that has ended. If a webhook requires the log, the task moves to the
-- end of the queue.
local function trim(id)
  for _, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do
    if redis.call('ZSCORE', due, joined(id) .. hook) then
      redis.call('ZADD', logs, now, id)
      return 'needed'
    end
  end
  local task = key('task', id)
  local folded, logEnd, bytes = unpack(redis.call('HMGET', task, 'folded', 'end', 'bytes'))
  local isFolded = folded == logEnd
  -- The log of a large task contains most of its data, so it is kept.
  local isKept = not isFolded and tonumber(bytes) > largeBytes
  if not isFolded and not isKept then return 'unfolded' end
  redis.call('ZREM', logs, id)
  if isKept then return 'kept' end
  if not folded then return 'forgotten' end
  redis.call('HSET', task, 'trimmed', folded)
  redis.call('UNLINK', key('log', id))
  return 'trimmed'
end

local function tell(change) redis.call('PUBLISH', channel, change) end
`;

/**
 * Returns a complete script: the common beginning, the body and the common end.
 * @param quick A part that runs before the shared functions are created, which takes longer than
 *   most commands. If it sets `reply`, the body does not run.
 */
export function scriptOf(script: string | ScriptParts): string {
  const { quick, body } = typeof script === "string" ? { quick: "", body: script } : script;
  return `local knownVersion = '${String(keysVersion)}'${start}
local reply
${quick}
if not reply then
  local function run()${shared}${body}end
  reply = run()
end
if type(reply) == 'table' and reply.err then return reply end
return { tag, reply }`;
}

/** A script with a quick part. */
export interface ScriptParts {
  readonly quick: string;
  readonly body: string;
}
