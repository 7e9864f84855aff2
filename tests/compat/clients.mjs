// The Node clients against a running server: node clients.mjs PORT node_modules-folder. Prints "ok" and "not ok" lines.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';

const port = Number(process.argv[2]);
const load = createRequire(path.join(process.argv[3], 'anything.js'));
const { createClient } = load('redis');
const { Redis } = load('ioredis');
let failed = 0;

async function test(name, body) {
  try {
    await body();
    console.log(`ok compat/${name}`);
  } catch (error) {
    failed++;
    console.log(String(error.stack).replace(/^/gm, '# '));
    console.log(`not ok compat/${name}`);
  }
}

async function withNodeRedis(options, body) {
  const client = createClient({ socket: { host: '127.0.0.1', port }, ...options });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.flushAll();
    await body(client);
  } finally {
    client.destroy();
  }
}

async function strings(client) {
  assert.equal(await client.set('k', 'v'), 'OK');
  assert.equal(await client.get('k'), 'v');
  assert.equal(await client.get('missing'), null);
  assert.equal(await client.set('k', 'w', { NX: true }), null);
  assert.equal(await client.set('k', 'w', { EX: 100, GET: true }), 'v');
  assert.ok((await client.ttl('k')) > 98);
  assert.deepEqual(await client.mGet(['k', 'missing']), ['w', null]);
  assert.equal(await client.incrBy('n', 41), 41);
  assert.equal(await client.incr('n'), 42);
  assert.equal(Number(await client.incrByFloat('n', 0.5)), 42.5);
  assert.equal(await client.append('s', 'abc'), 3);
  assert.equal(await client.getRange('s', 1, -1), 'bc');
  await assert.rejects(client.incr('s'), /not an integer/);
  const big = 'x'.repeat(3_000_000);
  await client.set('big', big);
  assert.equal(await client.get('big'), big);
}

async function keys(client) {
  await Promise.all(Array.from({ length: 3000 }, (_, i) => client.set(`key:${i}`, String(i))));
  assert.equal(await client.dbSize(), 3000);
  const seen = new Set();
  for await (const batch of client.scanIterator({ COUNT: 100 })) for (const key of [].concat(batch)) seen.add(key);
  assert.equal(seen.size, 3000);
  assert.equal(await client.exists(['key:1', 'key:2', 'none']), 2);
  assert.equal(await client.expire('key:1', 100), 1);
  assert.equal(await client.persist('key:1'), 1);
  assert.equal(await client.rename('key:1', 'renamed'), 'OK');
  assert.equal(await client.type('renamed'), 'string');
  assert.equal(await client.del(['key:2', 'key:3']), 2);
  assert.equal(await client.unlink('key:4'), 1);
}

async function server(client) {
  assert.match(await client.info('server'), /redis_version:7/);
  assert.deepEqual({ ...(await client.configGet('maxmemory-policy')) }, { 'maxmemory-policy': 'noeviction' });
  assert.equal(await client.configSet('timeout', '0'), 'OK');
  assert.equal(await client.clientSetName('node'), 'OK');
  assert.equal(await client.clientGetName(), 'node');
  assert.ok((await client.clientList()).some((entry) => entry.name === 'node'));
  assert.ok((await client.commandCount()) > 50);
  assert.ok((await client.time()) !== undefined);
  assert.ok((await client.memoryUsage('none')) === null);
}

async function eventually(condition) {
  for (let tries = 0; tries < 500 && !(await condition()); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(await condition(), String(condition));
}

// The library keeps what it has read and asks the server to tell it of changes.
async function cache(client, writer) {
  const hits = () => client.clientSideCache.stats().hitCount;
  await writer.mSet({ a: '1', b: '2' });
  assert.equal(await client.get('a'), '1');
  assert.equal(await client.get('a'), '1');
  assert.equal(hits(), 1);
  assert.equal(await client.get('b'), '2');
  await writer.set('a', '3');
  await eventually(async () => (await client.get('a')) === '3');
  const before = hits();
  assert.equal(await client.get('b'), '2');
  assert.equal(hits(), before + 1);
  await client.set('a', '4');
  await eventually(async () => (await client.get('a')) === '4');
  await writer.flushAll();
  await eventually(async () => (await client.get('b')) === null);
  await Promise.all(Array.from({ length: 500 }, (_, i) => writer.set(`k${i}`, `${i}`)));
  await Promise.all(Array.from({ length: 500 }, (_, i) => client.get(`k${i}`)));
  await Promise.all(Array.from({ length: 500 }, (_, i) => writer.incr(`k${i}`)));
  for (let i = 0; i < 500; i++) await eventually(async () => (await client.get(`k${i}`)) === `${i + 1}`);
}

async function ioredis(options, body) {
  const client = new Redis({ host: '127.0.0.1', port, ...options });
  client.on('error', () => {});
  try {
    await client.flushall();
    await body(client);
  } finally {
    client.disconnect();
  }
}

for (const RESP of [2, 3]) {
  await test(`node-redis strings (resp${RESP})`, () => withNodeRedis({ RESP }, strings));
  await test(`node-redis keys (resp${RESP})`, () => withNodeRedis({ RESP }, keys));
  await test(`node-redis server (resp${RESP})`, () => withNodeRedis({ RESP }, server));
}
for (const options of [{}, { evictPolicy: 'LRU', maxEntries: 100 }]) {
  await test(`node-redis client-side cache ${JSON.stringify(options)}`, () =>
    withNodeRedis({}, (writer) =>
      withNodeRedis({ RESP: 3, clientSideCache: { ttl: 0, maxEntries: 0, ...options } }, (client) => cache(client, writer))));
}
await test('ioredis tracking redirected to a subscriber', () =>
  ioredis({ protocol: 2 }, async (client) => {
    const subscriber = client.duplicate();
    const told = [];
    subscriber.on('message', (channel, keys) => told.push([channel, keys]));
    const id = await subscriber.client('ID');
    await subscriber.subscribe('__redis__:invalidate');
    await client.client('TRACKING', 'ON', 'REDIRECT', id);
    await client.get('k');
    await client.set('k', 'v');
    await eventually(() => told.length === 1);
    assert.equal(told[0][0], '__redis__:invalidate');
    assert.equal(String(told[0][1]), 'k');
    subscriber.disconnect();
  }));
await test('ioredis strings and pipelines', () =>
  ioredis({}, async (client) => {
    assert.equal(await client.set('k', 'v', 'EX', 100), 'OK');
    assert.equal(await client.get('k'), 'v');
    assert.deepEqual(await client.mget('k', 'none'), ['v', null]);
    const pipeline = client.pipeline();
    for (let i = 0; i < 2000; i++) pipeline.set(`p${i}`, i).get(`p${i}`);
    const replies = await pipeline.exec();
    assert.equal(replies.length, 4000);
    assert.deepEqual(replies.at(-1), [null, '1999']);
    await assert.rejects(client.incr('k'), /not an integer/);
  }));
await test('ioredis scan, monitor, select', () =>
  ioredis({ db: 2 }, async (client) => {
    await client.mset(...Array.from({ length: 500 }, (_, i) => [`s${i}`, i]).flat());
    const seen = new Set();
    for await (const batch of client.scanStream({ count: 50 })) batch.forEach((key) => seen.add(key));
    assert.equal(seen.size, 500);
    const monitor = await client.monitor();
    const line = new Promise((resolve) => monitor.on('monitor', (time, args) => args[0] === 'get' && resolve(args)));
    await client.get('s7');
    assert.deepEqual(await line, ['get', 's7']);
    monitor.disconnect();
  }));
process.exit(failed ? 1 : 0);
