import { startForTests, type TestNamewatch } from 'namewatch/testing';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import extension from '../src/extension.js';
import { ReportHealth } from '../src/report-health.js';

describe('the task', () => {
  let status: number;
  let received: string[];
  const server = createServer((request, reply) => {
    received.push(String(request.method));
    reply.writeHead(status).end();
  });
  let namewatch: TestNamewatch;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const settings = { MY_EXTENSION_URL: `http://127.0.0.1:${port}/` };
    namewatch = await startForTests({ extensions: [extension], settings });
  });
  beforeEach(() => {
    status = 204;
    received = [];
  });
  after(async () => {
    await namewatch.close();
    server.close();
  });

  it('sends a POST', async () => {
    await namewatch.runTask(ReportHealth);
    assert.ok(received.includes('POST'));
  });

  it('fails when it is not taken, so that the log and the metrics show it', async () => {
    status = 503;
    await assert.rejects(() => namewatch.runTask(ReportHealth), /answered 503/);
  });
});
