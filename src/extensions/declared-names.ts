import { isScopeOf, ScopeCatalogue } from '../auth/language.js';
import { type ProblemKind, PROBLEMS } from '../platform/http/errors/problem-catalogue.js';
import { findUnguardedRoutes } from './controller-routes.js';
import type { Extension } from './extension.js';

const CODE = /^[a-z][a-z0-9_]{2,79}$/;

/** What is wrong with the scopes, problem codes, plan sources and routes of these extensions, a sentence each. */
export function findDeclaredNameProblems(all: readonly Extension[]): string[] {
  const scopes = new ScopeCatalogue(all.flatMap(({ scopes: own = [] }) => own));
  return [
    ...all.flatMap(findScopeProblems),
    ...all.flatMap((extension, position) => findCodeProblems(extension, all.slice(0, position))),
    ...findPlanSourceProblems(all),
    ...all.flatMap((extension) => findUnguardedRoutes(extension, scopes, declaredCodes(all))),
  ];
}

function findScopeProblems({ name, scopes = [] }: Extension): string[] {
  return scopes.flatMap((scope, position) => {
    if (!isScopeOf(scope, name))
      return [`the scope ${JSON.stringify(scope)} of the extension ${name} is not ${name}:<word>`];
    return scopes.indexOf(scope) < position ? [`the extension ${name} declares the scope ${scope} twice`] : [];
  });
}

function findCodeProblems({ name, problems = {} }: Extension, earlier: readonly Extension[]): string[] {
  const prefix = `${name.replaceAll('-', '_')}_`;
  const taken = declaredCodes(earlier);
  return Object.entries(problems).flatMap(([code, kind]) => {
    if (!code.startsWith(prefix) || !CODE.test(code) || code === prefix)
      return [`the problem code ${JSON.stringify(code)} of the extension ${name} is not ${prefix}<word>`];
    if (Object.hasOwn(PROBLEMS, code) || taken.has(code))
      return [`the problem code ${code} of the extension ${name} is taken already`];
    const mistake = findKindMistake(kind);
    return mistake === null ? [] : [`the problem ${code} of the extension ${name} ${mistake}`];
  });
}

function findKindMistake({ status, title, about, retryable }: ProblemKind): string | null {
  if (!Number.isInteger(status) || status < 400 || status > 599) return 'needs a status from 400 to 599';
  if ([title, about].some((text: unknown) => typeof text !== 'string' || text === '')) return 'needs a title and about';
  return typeof retryable === 'boolean' ? null : 'needs retryable, true or false';
}

function findPlanSourceProblems(all: readonly Extension[]): string[] {
  const names = all.filter(({ planSource }) => planSource !== undefined).map(({ name }) => name);
  return names.length > 1 ? [`there can be one plan source, and the extensions ${names.join(' and ')} have one`] : [];
}

function declaredCodes(all: readonly Extension[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ problems = {} }) => Object.keys(problems)));
}
