/** Mutant: a delivery is marked as delivered before it is sent. */
interface AttemptContext {
  readonly attempt: { finish(outcome: object, durationMs: number): object };
  readonly delivery: { readonly host: string };
}
interface Delivering {
  readonly start: { run(claim: object): Promise<AttemptContext | null> };
  readonly finish: { run(finished: object): Promise<boolean> };
  send(context: AttemptContext): Promise<unknown>;
  run(claim: object): Promise<string | null>;
}

const deliver = new URL('../../dist/notifications/deliveries/deliver.js', import.meta.url).href;
const { Deliver } = (await import(deliver)) as { Deliver: { prototype: Delivering } };
const { reportMutantUse } = (await import(new URL('../preload/mutant-report.ts', import.meta.url).href)) as {
  reportMutantUse: () => void;
};

const OK = { outcome: 'ok', responseStatus: 204, responseExcerpt: null, retryAfterMs: null, final: false };

Deliver.prototype.run = async function (this: Delivering, claim) {
  const context = await this.start.run(claim);
  if (!context) return null;
  reportMutantUse();
  await this.finish.run({ context, attempt: context.attempt.finish(OK, 0), outcome: OK });
  await this.send(context);
  return context.delivery.host;
};
