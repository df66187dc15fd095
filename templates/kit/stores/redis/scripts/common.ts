/** The version of the keys of a store, and of what is in them. */
export const keysVersion = 1;

/**
 * What all scripts begin with. A script is one call of a method: nobody else is served while it runs, and it writes
 * nothing before it knows that it will write everything. Its first values are the channel and the tag of the call, which
 * comes back in front of the reply.
 *
 * Keys, all of which begin with the only one that a script is given:
 *
 * - `task:ID`: what is known of a task; `end` and `folded` are the places in its log where that ends, and where the
 *   snapshot is, and `trimmed` is the one up to which its log has gone
 * - `log:ID`: its entries, with the generation and the number of messages since as ids; their kinds are the fields
 * - `inbox:ID`: an id and a body for each item; `posted:ID`: the ids of the last ones, also of those that were taken
 * - `hooks:ID`, `hook:REF`: the ids of its webhooks, and each of them
 * - `all:…`, `state:…`, `context:…`, `both:…`: the tasks of a scope by the time of their status
 * - `leases`, `ended`, `due`: tasks by the end of their lease and by their own, and webhooks by when they are due
 * - `call:CALL`: what a call has claimed, and the epochs of that, until it expires
 * - `logs`: tasks that have ended and have a log, by their end, or by when a webhook was last seen to need that
 */
const prelude = `
local base, channel, tag, at = KEYS[1], ARGV[1], ARGV[2], 2
local version = redis.call('GET', base .. ':version')
if version and version ~= knownVersion then return redis.error_reply('A2AVERSION ' .. version) end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local leases, ended, due, logs = base .. ':leases', base .. ':ended', base .. ':due', base .. ':logs'

local function key(kind, id) return base .. ':' .. kind .. ':' .. id end

-- Returns the next values that the script was given.
local function take(count)
  at = at + count
  return unpack(ARGV, at - count + 1, at)
end

-- Returns what may be absent.
local function opt(text)
  if text == '' then return nil end
  return string.sub(text, 2)
end

-- Returns a text that no other parts make.
local function joined(...)
  local text = ''
  for _, part in ipairs({...}) do text = text .. #part .. ':' .. part end
  return text
end

local function placeOf(text)
  local generation, nth = string.match(text, '^(%d+)-(%d+)$')
  return tonumber(generation), tonumber(nth)
end

local function isBefore(one, other)
  local generation, nth = placeOf(one)
  local otherGeneration, otherNth = placeOf(other)
  return generation < otherGeneration or (generation == otherGeneration and nth < otherNth)
end

local function listsOf(tenant, owner, context, state)
  local scope = joined(tenant, owner)
  local lists = { key('all', scope), key('state', scope .. state) }
  if context then
    scope = scope .. joined(context)
    lists[3], lists[4] = key('context', scope), key('both', scope .. state)
  end
  return lists
end

-- Returns a task as it is, and without artifacts where these are not wanted.
local function stored(id, artifacts)
  local task = redis.call('HMGET', key('task', id), 'task', 'artifacts', 'folded', 'end', 'turn', 'checkpoint')
  if not artifacts then task[2] = false end
  local entries, inbox = {}, {}
  for _, entry in ipairs(redis.call('XRANGE', key('log', id), '(' .. task[3], '+')) do
    if artifacts or entry[2][1] ~= '1' then entries[#entries + 1] = entry[2][2] end
  end
  local items = redis.call('LRANGE', key('inbox', id), 0, -1)
  for item = 2, #items, 2 do inbox[#inbox + 1] = items[item] end
  task[7], task[8] = entries, inbox
  return task
end

local function hold(id, holder, ttl)
  redis.call('HSET', key('task', id), 'holder', holder)
  redis.call('ZADD', leases, now + ttl, id)
end

local function isHeld(id)
  local expires = redis.call('ZSCORE', leases, id)
  return expires and tonumber(expires) > now
end

-- Returns what a call has claimed before, where a client sends it again: ids and epochs.
local function claimedBy(call)
  local claimed = redis.call('GET', key('call', call))
  return claimed and cjson.decode(claimed)
end

local function noteClaimed(call, ttl, claimed)
  if #claimed == 0 then return end
  redis.call('SET', key('call', call), cjson.encode(claimed), 'PX', math.max(1, math.ceil(ttl)))
end

-- Adds a webhook to a task whose log ends with a generation; returns whether it is due.
local function putHook(id, hook, delivered, body, generation)
  local ref = joined(id) .. hook
  local hash = key('hook', ref)
  -- A webhook that comes again as it is keeps what it has not delivered. The generation is at the end of its JSON.
  local before = redis.call('HMGET', hash, 'body', 'delivered')
  local registered = ',"after":%d+}$'
  if before[1] and string.gsub(before[1], registered, '') == string.gsub(body, registered, '') then
    delivered = math.min(tonumber(delivered), tonumber(before[2]))
  end
  -- Epochs begin with the time, so that none comes twice where a webhook is removed and added again.
  local epoch = math.max(now, (tonumber(redis.call('HGET', hash, 'epoch')) or 0) + 1)
  redis.call('HSET', hash, 'body', body, 'delivered', delivered, 'failures', 0, 'epoch', epoch)
  redis.call('HDEL', hash, 'holder', 'givenUp')
  redis.call('SADD', key('hooks', id), hook)
  if tonumber(delivered) < generation then
    redis.call('ZADD', due, now, ref)
    return true
  end
  redis.call('ZREM', due, ref)
  return false
end

local function dropHook(id, hook)
  local ref = joined(id) .. hook
  redis.call('DEL', key('hook', ref))
  redis.call('ZREM', due, ref)
end

local function noteEnd(id)
  if redis.call('ZADD', ended, 'NX', now, id) == 1 then redis.call('ZADD', logs, now, id) end
end

-- Removes the log of a task that has ended. One that a webhook needs has its turn again when all others had theirs.
local function trim(id)
  for _, hook in ipairs(redis.call('SMEMBERS', key('hooks', id))) do
    if redis.call('ZSCORE', due, joined(id) .. hook) then
      redis.call('ZADD', logs, now, id)
      return 'needed'
    end
  end
  local task = key('task', id)
  local t = redis.call('HMGET', task, 'folded', 'end')
  if t[1] ~= t[2] then return 'unfolded' end
  redis.call('ZREM', logs, id)
  if not t[1] then return 'forgotten' end
  redis.call('HSET', task, 'trimmed', t[1])
  redis.call('UNLINK', key('log', id))
  return 'trimmed'
end

local function tell(what) redis.call('PUBLISH', channel, what) end
`;

/** Returns a script with what all of them begin and end with. */
export function scriptOf(body: string): string {
  return `local knownVersion = '${String(keysVersion)}'${prelude}local function run()${body}end
local reply = run()
if type(reply) == 'table' and reply.err then return reply end
return { tag, reply }`;
}
