import type { RegistrationFacts } from '../../../src/domains/domain/lifecycle/registration-facts.js';
import type { Observation } from '../../../src/domains/domain/lookup/lookup-result.js';

/** The observation of one server, with its evidence; over RDAP unless the changes say otherwise. */
export function observation(
  facts: RegistrationFacts,
  observedAt: Date,
  changes: Partial<Observation> = {},
): Observation {
  const { source = 'rdap' } = changes;
  const evidence = {
    source,
    server: `${source}.example`,
    outcome: facts.outcome,
    rule: `${source}.rule`,
    httpStatus: null,
    observedAt,
    excerpt: '',
  };
  return {
    kind: 'observation',
    facts,
    source,
    observedAt,
    evidence: [evidence],
    witnesses: 1,
    recheckWithinMs: null,
    ...changes,
  };
}
