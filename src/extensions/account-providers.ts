import type { Provider } from '@nestjs/common';
import {
  type AccountAuthenticator,
  EXTENSION_AUTHENTICATORS,
  EXTENSION_PLAN_SOURCE,
  type ExtensionAuthenticator,
  type ExtensionPlanSource,
  type PlanSource,
  ScopeCatalogue,
} from '../auth/index.js';
import { ProblemCatalogue } from '../platform/http/errors/problem-catalogue.js';
import type { Extensions } from './extensions.js';

/** Plans, authenticators, scopes and problem codes of this application: another one in this process may have other extensions. */
export function createAccountProviders({ all }: Extensions): Provider[] {
  const problems = all.flatMap(({ problems: own = {} }) => Object.entries(own));
  return [
    { provide: ScopeCatalogue, useValue: new ScopeCatalogue(all.flatMap(({ scopes = [] }) => scopes)) },
    { provide: ProblemCatalogue, useValue: new ProblemCatalogue(Object.fromEntries(problems)) },
    createPlanSource(all),
    createAuthenticators(all),
  ];
}

function createPlanSource(all: Extensions['all']): Provider {
  const declared = all.flatMap(({ name, planSource }) => (planSource ? [{ extension: name, type: planSource }] : []));
  return {
    provide: EXTENSION_PLAN_SOURCE,
    inject: declared.map(({ type }) => type),
    useFactory: (source?: PlanSource): ExtensionPlanSource | null =>
      source && declared[0] ? { extension: declared[0].extension, source } : null,
  };
}

/** In order, each with the name of its extension. */
function createAuthenticators(all: Extensions['all']): Provider {
  const declared = all.flatMap(({ name, authenticators = [] }) => authenticators.map((type) => ({ name, type })));
  return {
    provide: EXTENSION_AUTHENTICATORS,
    inject: declared.map(({ type }) => type),
    useFactory: (...instances: AccountAuthenticator[]): ExtensionAuthenticator[] =>
      instances.map((authenticator, position) => ({ extension: declared[position]?.name ?? '', authenticator })),
  };
}
