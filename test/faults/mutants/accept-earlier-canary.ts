/** Mutant: a canary that was found before the registry broke proves that it works. Violates I2. */
import type * as Canaries from '../../../src/domains/canaries/canary-witness.js';
import { fromBuild, reportMutantUse } from '../preload/mutant.mjs';

const { CanaryWitness } = await fromBuild<typeof Canaries>('domains/canaries/canary-witness');

const { recall } = CanaryWitness.prototype;
CanaryWitness.prototype.recall = async function (...values) {
  const answer = await recall.apply(this, values);
  if (answer.canary !== 'found_recently') return answer;
  reportMutantUse();
  return { ...answer, canary: 'found_since' };
};
