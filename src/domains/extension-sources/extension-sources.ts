import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { EXTENSION_LOOKUP_SOURCES, type LookupSource } from '../domain/lookup/lookup-source.js';
import { EVIDENCE_SOURCES } from '../domain/lookup/lookup-result.js';
import { ExtensionSource } from './extension-source.js';

const NAME = /^[a-z][a-z0-9-]{1,39}$/;
const ROLES: readonly string[] = ['only', 'first'];
const BUILT_IN_NAMES: readonly string[] = EVIDENCE_SOURCES;

/** The sources of the extensions, in order. */
@Injectable()
export class ExtensionSources implements OnModuleInit {
  static readonly none = new ExtensionSources([]);
  readonly all: readonly ExtensionSource[];
  private readonly budgets: ReadonlyMap<string, OperatorBudget>;
  private readonly problems: readonly string[];

  constructor(@Inject(EXTENSION_LOOKUP_SOURCES) sources: readonly LookupSource[]) {
    this.problems = sources.flatMap((source, position) => findSourceProblems(source, sources.slice(0, position)));
    this.all = this.problems.length > 0 ? [] : sources.map((source) => new ExtensionSource(source));
    this.budgets = new Map(this.all.flatMap(({ name, budget }) => (budget ? [[name, budget] as const] : [])));
  }

  /** Not in the constructor: Nest would print all of its start around the sentence. */
  onModuleInit(): void {
    this.assertValid();
  }

  /** @throws InvalidConfigurationError for a name that is taken or malformed, an unknown role and an invalid budget */
  assertValid(): void {
    if (this.problems.length > 0) throw new InvalidConfigurationError(this.problems);
  }

  /** The budget that a source brings for its servers. */
  budgetOf(operator: string): OperatorBudget | undefined {
    return this.budgets.get(operator);
  }
}

/** What keeps a source from being asked at all, in sentences. */
export function findSourceProblems(
  { name, role, budget }: LookupSource,
  earlier: readonly Pick<LookupSource, 'name'>[] = [],
): string[] {
  const shown = JSON.stringify(name);
  if (typeof name !== 'string' || !NAME.test(name))
    return [`the name of the lookup source ${shown} is not lower-case letters, digits and "-"`];
  const problems: string[] = [];
  if (BUILT_IN_NAMES.includes(name)) problems.push(`the lookup source ${name} has the name of a built-in source`);
  if (earlier.some((other) => other.name === name)) problems.push(`two lookup sources have the name ${name}`);
  if (!ROLES.includes(role))
    problems.push(`the role of the lookup source ${name} is neither only nor first: ${JSON.stringify(role)}`);
  if (budget && !isValidBudget(budget))
    problems.push(`the budget of the lookup source ${name} needs perSecond (0: no limit), burst and concurrency`);
  return problems;
}

function isValidBudget({ perSecond, burst, concurrency }: OperatorBudget): boolean {
  const isWhole = (number: number) => Number.isInteger(number) && number >= 1;
  return Number.isFinite(perSecond) && perSecond >= 0 && isWhole(burst) && isWhole(concurrency);
}
