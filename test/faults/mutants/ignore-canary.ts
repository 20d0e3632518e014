/** Mutant: an absence is believed though the registry has no record either of names that it must have. Violates I2. */
import type * as Canaries from '../../../src/domains/canaries/canary-witness.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { CanaryWitness } = await fromBuild<typeof Canaries>('domains/canaries/canary-witness');

const { ask, recall } = CanaryWitness.prototype;
CanaryWitness.prototype.ask = async function (...values) {
  return withFoundCanary(await ask.apply(this, values));
};
CanaryWitness.prototype.recall = async function (...values) {
  return withFoundCanary(await recall.apply(this, values));
};

function withFoundCanary<Answer extends object>(answer: Answer): Answer {
  if (!('canary' in answer) || answer.canary !== 'missing') return answer;
  reportMutantUse();
  return { ...answer, canary: 'found_since' };
}
