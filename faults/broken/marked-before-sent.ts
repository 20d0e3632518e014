/** Breaks the service on purpose: a delivery is marked as delivered, and sent after that. */
interface Undertaking {
  readonly attempt: { ended(outcome: object, milliseconds: number): object };
  readonly delivery: { readonly host: string };
}
interface Delivering {
  readonly begin: { run(claim: object): Promise<Undertaking | null> };
  readonly end: { run(ending: object): Promise<boolean> };
  attempt(undertaking: Undertaking): Promise<unknown>;
  run(claim: object): Promise<string | null>;
}

const deliver = new URL('../../dist/notifications/application/deliveries/deliver.js', import.meta.url).href;
const { Deliver } = (await import(deliver)) as { Deliver: { prototype: Delivering } };
const { brokenPartIsUsed } = (await import(new URL('../inside/broken-part.ts', import.meta.url).href)) as {
  brokenPartIsUsed: () => void;
};

const OK = { outcome: 'ok', responseStatus: 204, responseExcerpt: null, retryAfter: null, final: false };

Deliver.prototype.run = async function (this: Delivering, claim) {
  const undertaking = await this.begin.run(claim);
  if (!undertaking) return null;
  brokenPartIsUsed();
  await this.end.run({ undertaking, ended: undertaking.attempt.ended(OK, 0), outcome: OK });
  await this.attempt(undertaking);
  return undertaking.delivery.host;
};
