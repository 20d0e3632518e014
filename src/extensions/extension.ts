import type { EntitySchema, MigrationObject } from '@mikro-orm/core';
import type { DynamicModule, Type } from '@nestjs/common';
import type { AccountAuthenticator, PlanSource, Scope } from '../auth/index.js';
import type { LookupSource } from '../domains/index.js';
import type { ChannelSender } from '../notifications/index.js';
import type { ProblemKind } from '../platform/http/errors/problem-catalogue.js';
import type { BackgroundTask } from './background-task.js';
import type { EventSubscriber } from './event-subscriber.js';
import type { SettingsClass } from './extension-settings.js';

/**
 * A package of another team that adds to Namewatch. The classes below become providers of `module`, so that they inject
 * what it provides; nothing is scanned.
 */
export interface Extension {
  /** Lower-case letters, digits and hyphens. Prefixes its scopes, problem codes and migrations table. */
  readonly name: string;
  /** The versions of Namewatch that it works with, as a semver range such as `^1.0.0`. */
  readonly compatibility: string;
  /** Injected by this class, which extends `extensionSettings({ … })`. */
  readonly settings?: SettingsClass;
  /** The module with the dependencies of its classes; it may be left out. */
  readonly module?: Type | DynamicModule;
  /** Served by processes with the role `api` only. */
  readonly controllers?: readonly Type[];
  /** Links that the dashboard shows, in this order. */
  readonly links?: readonly ExtensionLink[];
  /** Asked before RDAP and WHOIS, in this order. */
  readonly lookupSources?: readonly Type<LookupSource>[];
  readonly channelSenders?: readonly Type<ChannelSender>[];
  /** One per installation. */
  readonly planSource?: Type<PlanSource>;
  /** Tried in this order for requests whose credential is no API key. */
  readonly authenticators?: readonly Type<AccountAuthenticator>[];
  /** No process starts without their extension while an installation has subscribers. */
  readonly subscribers?: readonly Type<EventSubscriber>[];
  /** Work that processes do at an interval. */
  readonly tasks?: readonly Type<BackgroundTask>[];
  /** Data that is deleted with an account. */
  readonly accountData?: readonly Type<AccountData>[];
  /** `<name>:read`, for instance. */
  readonly scopes?: readonly Scope[];
  /** Their codes begin with the name: `<name>_closed`, for instance. */
  readonly problems?: Readonly<Record<string, ProblemKind>>;
  /** Map tables named `<name>_…`, with `_` for `-`, or in a schema of its own. */
  readonly entities?: readonly EntitySchema[];
  /** Applied in this order, after ours, and recorded in a table of their own. */
  readonly migrations?: readonly MigrationObject[];
}

/** A route of the extension that the dashboard shows to those who may read it, as text and never as part of its page. */
export interface ExtensionLink {
  /** One line of at most 60 characters, which names what one sees. */
  readonly label: string;
  /** Leads to a GET route of the extension without parameters, at `/v1/x/<name>` or below. */
  readonly path: string;
  /** The scope that the route requires; left out where any key may call it, or anyone. */
  readonly scope?: Scope;
}

/** Rows of an extension that belong to accounts, and are deleted with them. */
export abstract class AccountData {
  /** Shown to administrators, such as `ledger entries`. */
  abstract readonly name: string;

  /** Deletes up to `limit` rows of the account in one short transaction. @returns how many; 0: none is left */
  abstract deleteBatch(accountId: string, limit: number): Promise<number>;
}

/** Keeps which installation of Namewatch an extension was made with. */
export const DEFINED_BY = Symbol.for('namewatch.extension');

/** The default export of an extension's package. The compiler refuses a member that no extension has. */
export function defineExtension(extension: Extension): Extension {
  return Object.freeze(Object.defineProperty({ ...extension }, DEFINED_BY, { value: import.meta.url }));
}
