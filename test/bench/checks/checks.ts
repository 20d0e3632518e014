import { generateApiKey } from '../../../src/auth/domain/api-key.js';
import { quietSettings, startCommandChild, startScript, startService } from '../child.js';
import { temporaryFolder } from '../cleanup.js';
import { compare, compareAtFixedRate, type Round } from '../comparison.js';
import { startOpenLoop } from '../open-loop.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { throwawayPostgres } from '../postgres.js';
import { unlimited } from '../unlimited.js';
import type { Order } from './loops.js';

const IN_FLIGHT = 50;

/** Every name is asked about once, except where it must be known already. */
export const suite: Suite = {
  name: 'checks',
  about: 'GET /v1/domains/check and the engine behind it, against an empty Nest route and against nothing but undici',
  measure,
};

async function measure(plan: RunOptions): Promise<Figure[]> {
  const { address: registry } = await startScript('watch/registry.ts');
  const key = generateApiKey();
  const settings = {
    ...quietSettings(await throwawayPostgres()),
    ROLE: 'api',
    BOOTSTRAP_API_KEY: key.text,
    RDAP_OVERRIDES: `example=${registry}`,
    ...unlimited(temporaryFolder()),
  };
  const { address: service } = await startService(settings);
  const { address: empty } = await startScript('checks/empty-nest.ts');
  const loops = await startCommandChild<Order, Round>('checks/loops.ts', {
    REGISTRY: registry,
    LOOKUP_BUDGETS_FILE: settings.LOOKUP_BUDGETS_FILE,
  });
  const open = await startOpenLoop();

  const headers = { authorization: `Bearer ${key.text}` };
  const checkUrl = `${service}/v1/domains/check?domain=`;
  const undici = (seconds: number) => loops.run({ loop: 'undici', seconds });
  let asked = 0;
  const live = {
    url: service,
    headers,
    connections: IN_FLIGHT,
    nextPath: () => `/v1/domains/check?domain=live-${(asked += 1)}.example`,
  };
  const cached = { url: `${checkUrl}known.example`, headers };
  const nothing = { url: `${empty}/empty`, headers: {} };
  const cachedCapacity = await compare(
    {
      what: 'a check of a name that is known, to an empty route of Nest on Fastify',
      ours: cached,
      baseline: nothing,
    },
    plan,
  );
  const engine = await compare(
    {
      what: 'the engine alone, to a loop of undici at the same registry',
      ours: (seconds) => loops.run({ loop: 'engine', seconds }),
      baseline: undici,
    },
    plan,
  );
  const liveCapacity = await compare(
    {
      what: `live checks over HTTP, recorded, ${IN_FLIGHT} in flight, to the same loop`,
      ours: live,
      baseline: undici,
    },
    plan,
  );
  const liveAtFixedRate = await compareAtFixedRate(open, plan, {
    what: 'a live check over HTTP, recorded, to undici at the same registry',
    rate: Math.round(liveCapacity.ours / 2),
    ours: { url: `${checkUrl}open-{n}.example`, headers },
    baseline: { url: `${registry}domain/open-{n}.example`, headers: {} },
  });
  const cachedAtFixedRate = await compareAtFixedRate(open, plan, {
    what: 'a check of a name that is known, to an empty route of Nest on Fastify',
    rate: Math.round(cachedCapacity.ours / 2),
    ours: cached,
    baseline: nothing,
  });
  return [liveAtFixedRate, cachedAtFixedRate, cachedCapacity, engine, liveCapacity];
}
