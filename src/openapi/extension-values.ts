import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ScopeCatalogue, SCOPES } from '../auth/language.js';
import { EXTENSION_CODES, ProblemCatalogue } from '../platform/http/errors/problem-catalogue.js';
import { EXTENSION_LOOKUP_SOURCES, type LookupSource } from '../domains/index.js';
import { EVIDENCE_SOURCES, REGISTRY_SOURCES } from '../domains/language.js';
import { problemResponse, PROBLEM_TYPE } from '../platform/http/errors/api-problems.js';
import { type Operation, operationsOf } from './operations.js';

type ExtensibleOperation = Operation & { [EXTENSION_CODES]?: readonly string[] };

/** An enumeration of Namewatch's own values, and all that one application has. */
interface ExtendedEnum {
  readonly builtIn: readonly (string | null)[];
  readonly all: readonly (string | null)[];
}

/** Adds the responses and tags of this application's extensions: decorators do not know of which application. */
export function withExtensionResponses(made: OpenAPIObject, app: INestApplicationContext): OpenAPIObject {
  const problems = app.get(ProblemCatalogue, { strict: false });
  const document = structuredClone(made); // decorators share objects between applications
  for (const operation of operationsOf(document)) addProblemResponses(operation, problems);
  return { ...document, tags: [...(document.tags ?? []), ...findUndescribedTags(document)] };
}

/** Wherever the document lists exactly the built-in values, it lists those of this application's extensions too. */
export function withExtensionValues(document: OpenAPIObject, app: INestApplicationContext): OpenAPIObject {
  const scopes = app.get(ScopeCatalogue, { strict: false });
  const sources = app.get<readonly LookupSource[] | null>(EXTENSION_LOOKUP_SOURCES, { strict: false });
  const names = sources?.map(({ name }) => name) ?? []; // null in an application that is only described
  const withNames = [EVIDENCE_SOURCES, [...EVIDENCE_SOURCES, null], REGISTRY_SOURCES].map((builtIn) => {
    return { builtIn, all: [...builtIn, ...names] };
  });
  return extendEnums(document, [{ builtIn: SCOPES, all: scopes.all }, ...withNames]);
}

function extendEnums(document: OpenAPIObject, enums: readonly ExtendedEnum[]): OpenAPIObject {
  const extended = new Map(enums.map(({ builtIn, all }) => [builtIn.join(), all]));
  const extend = (name: string, value: unknown): unknown =>
    name === 'enum' && Array.isArray(value) ? (extended.get(value.join()) ?? value) : value;
  return JSON.parse(JSON.stringify(document), extend) as OpenAPIObject;
}

function addProblemResponses(operation: ExtensibleOperation, problems: ProblemCatalogue): void {
  const { [EXTENSION_CODES]: codes = [] } = operation;
  delete operation[EXTENSION_CODES];
  const known = codes.filter((code) => problems.find(code) !== undefined);
  for (const [status, added] of Map.groupBy(known, (code) => problems.find(code)?.status ?? 500)) {
    const present = operation.responses[status];
    const response = problemResponse(status, added);
    if (present && !('$ref' in present) && present.content?.[PROBLEM_TYPE])
      present.description = [present.description, response.description].filter(Boolean).join(', ');
    else operation.responses[status] = response;
  }
}

function findUndescribedTags(document: OpenAPIObject): { name: string; description: string }[] {
  const described = new Set(document.tags?.map(({ name }) => name));
  const used = new Set(operationsOf(document).flatMap(({ tags = [] }) => tags));
  return [...used].filter((name) => !described.has(name)).map((name) => ({ name, description: 'Of an extension.' }));
}
