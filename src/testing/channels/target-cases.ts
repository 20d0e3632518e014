import assert from 'node:assert/strict';
import { DomainError } from '../../kernel/domain-error.js';
import { maskTarget, TargetInvalid, TargetNotAllowed } from '../../notifications/index.js';
import type { ContractCase } from '../contract-case.js';
import { assertNoSecret, type ChannelSenderContractOptions, Subject } from './subject.js';

/** No target of any type. */
const NEVER_TARGETS = [
  ...['', ' ', '\u0000', 'x'.repeat(10_000), 'https://', 'http://hooks.example.test/x', 'file:///etc/passwd'],
  ...[
    'https://10.0.0.1/x',
    'https://127.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://localhost/',
  ],
  ...['https://user:password@hooks.example.test/', 'https://hooks.example.test:22/'],
];

/** What `parseTarget` and `parseCredential` promise. */
export function targetCases(options: ChannelSenderContractOptions): ContractCase[] {
  const oneCase = (name: string, check: (subject: Subject) => Promise<void> | void): ContractCase => ({
    name,
    run: () => Subject.run(options, async (subject) => check(subject)),
  });
  return [
    oneCase('has a type, a secret and an example for the API document', ({ sender }) => {
      assert.match(sender.type, /^[a-z][a-z0-9_-]{1,39}$/);
      assert.ok(['signing', 'account', 'none'].includes(sender.secret), `secret is ${sender.secret}`);
      assert.match(sender.example.about, /\w+ \w+/, 'example.about is not a sentence');
    }),
    oneCase('accepts its example, and its canonical form as itself', ({ sender }) => {
      const { canonical } = sender.parseTarget(`  ${sender.example.target} `);
      assert.equal(sender.parseTarget(canonical).canonical, canonical);
      assert.equal(sender.parseTarget(sender.example.target).canonical, canonical, 'spaces around it matter');
    }),
    oneCase('rejects what is no target, and addresses that are not public', ({ sender }) => {
      for (const text of [...NEVER_TARGETS, ...options.invalidTargets])
        assert.throws(() => sender.parseTarget(text), isTargetProblem, `accepts ${JSON.stringify(text.slice(0, 50))}`);
    }),
    oneCase('masks a secret target', (subject) => {
      const { sender } = subject;
      if (!sender.hasSecretTarget) return;
      assert.ok(subject.secrets[0], 'the example has no part of 8 characters or more that could be its secret');
      assertNoSecret(maskTarget(sender.parseTarget(sender.example.target)), subject.secrets, 'the masked target');
    }),
    oneCase('keeps a secret target out of its errors', (subject) => {
      const { sender } = subject;
      if (!sender.hasSecretTarget) return;
      const { target } = sender.example;
      for (const text of [`${target} x`, `x${target}`, target.replace('https:', 'http:'), `${target}\u0000`])
        assertCleanErrors(() => sender.parseTarget(text), subject.secrets);
    }),
    oneCase('checks credentials, and keeps them out of its errors', ({ sender }) => {
      if (sender.secret !== 'account') return;
      assert.ok(options.credential, 'the options lack a credential that it accepts');
      assert.equal(typeof sender.parseCredential(options.credential), 'string');
      for (const text of options.invalidCredentials ?? []) {
        assert.throws(() => sender.parseCredential(text), DomainError, 'accepts one of invalidCredentials');
        if (text.length >= 8) assertCleanErrors(() => sender.parseCredential(text), [text]);
      }
    }),
  ];
}

function isTargetProblem(error: unknown): boolean {
  return error instanceof TargetInvalid || error instanceof TargetNotAllowed;
}

function assertCleanErrors(parse: () => unknown, secrets: readonly string[]): void {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof DomainError, `throws ${String(error)} instead of a DomainError`);
    assertNoSecret(`${error.message} ${JSON.stringify(error.details)}`, secrets, 'an error');
  }
}
