// Libraries that live by scripts (BullMQ, rate-limiter-flexible, Redlock) against a running server: node libraries.mjs PORT
// node_modules-folder. Prints "ok" and "not ok" lines.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';

const port = Number(process.argv[2]);
const load = createRequire(path.join(process.argv[3], 'anything.js'));
const { Redis } = load('ioredis');
const { Queue, Worker, QueueEvents, FlowProducer } = load('bullmq');
const { RateLimiterRedis, RateLimiterQueue } = load('rate-limiter-flexible');
const Redlock = load('redlock');
const WAIT_MS = 10000;
const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
let failed = 0;

async function test(name, body) {
  const closers = [];
  const client = new Redis({ host: '127.0.0.1', port });
  try {
    await client.flushall();
    await body(client, (thing) => (closers.push(thing), thing));
    console.log(`ok compat/${name}`);
  } catch (error) {
    failed++;
    console.log(String(error.stack ?? error).replace(/^/gm, '# '));
    console.log(`not ok compat/${name}`);
  } finally {
    for (const thing of closers.reverse()) await thing.close();
    client.disconnect();
  }
}

async function eventually(what, condition) {
  const end = Date.now() + WAIT_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

// ---- BullMQ: jobs, priorities, delays, retries, flows

const quiet = (emitter) => emitter.on('error', () => {});

await test('bullmq jobs and their results', async (client, close) => {
  const queue = close(new Queue('plain', { connection }));
  queue.setMaxListeners(0); // each job that is waited for listens
  const events = close(new QueueEvents('plain', { connection }));
  await events.waitUntilReady();
  const jobs = await queue.addBulk(Array.from({ length: 50 }, (_, i) => ({ name: 'double', data: { i } })));
  assert.equal(await queue.getWaitingCount(), 50);
  quiet(close(new Worker('plain', async (job) => job.data.i * 2, { connection, concurrency: 5 })));
  const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events, WAIT_MS)));
  assert.deepEqual(results, jobs.map((_, i) => i * 2));
  assert.equal(await queue.getCompletedCount(), 50);
  assert.deepEqual(await queue.getJobCounts('waiting', 'active', 'failed'), { waiting: 0, active: 0, failed: 0 });
});

await test('bullmq priorities, delays and pauses', async (client, close) => {
  const queue = close(new Queue('ordered', { connection }));
  await queue.pause();
  await queue.add('low', {}, { priority: 10 });
  await queue.add('high', {}, { priority: 1 });
  await queue.add('late', {}, { delay: 60000 });
  await queue.add('soon', {}, { delay: 200, priority: 20 });
  const seen = [];
  quiet(close(new Worker('ordered', async (job) => void seen.push(job.name), { connection })));
  assert.equal(await queue.getDelayedCount(), 2);
  await queue.resume();
  await eventually('three jobs are done', () => seen.length === 3);
  assert.deepEqual(seen, ['high', 'low', 'soon']);
  const [late] = await queue.getDelayed();
  assert.equal(late.name, 'late');
  await late.promote();
  await eventually('the promoted job is done', () => seen.length === 4);
});

await test('bullmq failures, retries and removal', async (client, close) => {
  const queue = close(new Queue('failing', { connection }));
  let tries = 0;
  const worker = close(new Worker('failing', async (job) => {
    tries++;
    if (job.name === 'never' || tries < 3) throw new Error('on purpose');
    return 'at last';
  }, { connection }));
  quiet(worker);
  const job = await queue.add('sometimes', {}, { attempts: 3, backoff: { type: 'fixed', delay: 10 } });
  await eventually('the third try succeeds', async () => (await job.getState()) === 'completed');
  assert.equal((await queue.getJob(job.id)).returnvalue, 'at last');
  const lost = await queue.add('never', { text: 'é\n"' });
  await eventually('the job has failed', async () => (await lost.getState()) === 'failed');
  const [found] = await queue.getFailed();
  assert.equal(found.failedReason, 'on purpose');
  assert.deepEqual(found.data, { text: 'é\n"' });
  await found.retry();
  await eventually('it has failed again', async () => (await lost.getState()) === 'failed');
  await worker.close();
  await queue.obliterate({ force: true });
  assert.deepEqual(await client.keys('bull:failing:*'), []);
});

await test('bullmq flows and schedulers', async (client, close) => {
  const flow = close(new FlowProducer({ connection }));
  const queue = close(new Queue('flow', { connection }));
  quiet(close(new Worker('flow', async (job) => {
    if (job.name !== 'parent') return job.data.value;
    return Object.values(await job.getChildrenValues()).reduce((a, b) => a + b, 0);
  }, { connection })));
  const children = [1, 2, 3].map((value) => ({ name: 'child', queueName: 'flow', data: { value } }));
  const tree = await flow.add({ name: 'parent', queueName: 'flow', children });
  await eventually('the parent is done', async () => (await tree.job.getState()) === 'completed');
  assert.equal((await queue.getJob(tree.job.id)).returnvalue, 6);
  await queue.upsertJobScheduler('tick', { every: 3600000 }, { name: 'child', data: { value: 0 } });
  assert.equal((await queue.getJobSchedulers()).length, 1);
  await queue.removeJobScheduler('tick');
  assert.equal((await queue.getJobSchedulers()).length, 0);
});

// ---- rate-limiter-flexible

await test('rate-limiter-flexible', async (client) => {
  const limiter = new RateLimiterRedis({ storeClient: client, points: 3, duration: 5, blockDuration: 10 });
  const left = [];
  for (let i = 0; i < 3; i++) left.push((await limiter.consume('ann')).remainingPoints);
  assert.deepEqual(left, [2, 1, 0]);
  const refusal = await limiter.consume('ann').catch((reason) => reason);
  assert.equal(refusal.remainingPoints, 0);
  assert.ok(refusal.msBeforeNext > 9000 && refusal.msBeforeNext <= 10000);
  assert.equal((await limiter.consume('bob', 2)).remainingPoints, 1);
  assert.equal((await limiter.get('bob')).consumedPoints, 2);
  await limiter.reward('bob', 1);
  assert.equal((await limiter.get('bob')).consumedPoints, 1);
  await limiter.delete('ann');
  assert.equal(await limiter.get('ann'), null);
  const parallel = await Promise.allSettled(Array.from({ length: 10 }, () => limiter.consume('many')));
  assert.equal(parallel.filter((result) => result.status === 'fulfilled').length, 3);
});

await test('rate-limiter-flexible queues', async (client) => {
  const queue = new RateLimiterQueue(new RateLimiterRedis({ storeClient: client, points: 2, duration: 1, keyPrefix: 'q' }), { maxQueueSize: 5 });
  const start = Date.now();
  await Promise.all([1, 2, 3].map(() => queue.removeTokens(1)));
  assert.ok(Date.now() - start >= 300, 'the third waited');
});

// ---- Redlock

await test('redlock', async (client) => {
  const patient = new Redlock([client], { retryCount: 50, retryDelay: 20 });
  const hasty = new Redlock([client], { retryCount: 0 });
  quiet(patient);
  quiet(hasty);
  const lock = await patient.lock('thing', 5000);
  await assert.rejects(hasty.lock('thing', 5000));
  await lock.extend(8000);
  assert.ok((await client.pttl('thing')) > 5000);
  const next = patient.lock(['thing', 'other'], 5000);
  await lock.unlock();
  const both = await next;
  assert.equal(await client.exists('thing', 'other'), 2);
  await both.unlock();
  assert.equal(await client.exists('thing', 'other'), 0);
  await assert.rejects(both.unlock());
});

process.exit(failed ? 1 : 0);
