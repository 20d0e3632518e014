import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../support/eventually.js';
import { type Failure, TcpProxy } from '../../world/proxy.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

/** Longer than the pause between two attempts. */
const OUTAGE_MS = 2_500;
/** Begins with the end of the outage. */
const READY_WITHIN_MS = 45_000;

/** A role, what PostgreSQL does, and how many connections of the start it serves before. */
export type Start = readonly [role: string, failure: Failure, healthyConnections: number];

/** Processes start while PostgreSQL fails; the same for each queue. */
export function startSuite(queue: string, settings: Readonly<Record<string, string>>, starts: readonly Start[]): void {
  describe(`a service start during a PostgreSQL failure, with the job queue in ${queue}`, () => {
    let postgres: TcpProxy;
    let environment: Readonly<Record<string, string>>;
    beforeAll(async () => {
      const database = await serviceDatabase(settings);
      postgres = await TcpProxy.start(database);
      environment = {
        DATABASE_URL: postgres.through(database),
        MASTER_KEY: randomBytes(32).toString('base64'),
        RDAP_BOOTSTRAP_URL: 'off',
        DNS_SERVERS: 'off',
        LOG_LEVEL: 'fatal',
        ...settings,
      };
    });
    afterAll(() => postgres.close());

    const start = (role: string): Promise<ServiceProcess> => startServiceProcess({ ...environment, ROLE: role });
    const isReady = ({ address }: ServiceProcess) => fetch(`${address}/readyz`).then(({ status }) => status === 200);

    it.each(starts)(
      'succeeds once PostgreSQL recovers: role %s, failure "%s" after %i good connections',
      async (role, failure, healthy) => {
        postgres.fail(failure, healthy);
        const starting = start(role);
        await Promise.race([eventually(() => Promise.resolve(postgres.hasFailed), Boolean, READY_WITHIN_MS), starting]);
        await pause(OUTAGE_MS); // the length of an outage
        postgres.heal();
        const healedAt = performance.now();
        const service = await starting;
        await eventually(() => isReady(service), Boolean, READY_WITHIN_MS);
        expect(performance.now() - healedAt).toBeLessThan(READY_WITHIN_MS);
        expect(await service.kill('SIGINT')).toBe(0);
      },
    );
  });
}
