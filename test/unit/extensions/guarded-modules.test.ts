import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { forwardRef, Inject, Injectable, Logger, Module, type ModuleMetadata, type OnModuleInit } from '@nestjs/common';
import { APP_GUARD, ModulesContainer, NestFactory } from '@nestjs/core';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { GuardedModules, neededProviders } from '../../../src/extensions/guarded-modules.js';

Logger.overrideLogger(false);

const fail = () => {
  throw new Error('no ledger\nat this address');
};

class Ledger {
  readonly name = 'ledger';
}

class ThrowingConstructor {
  readonly ledger = fail();
}

class ThrowingInit implements OnModuleInit {
  onModuleInit(): void {
    fail();
  }
}

class ArrowInit {
  readonly onModuleInit = () => fail();
}

class RejectingBootstrap {
  onApplicationBootstrap(): Promise<void> {
    return Promise.reject(new InvalidConfigurationError(['LEDGER_URL leads nowhere', 'LEDGER_KEY is old']));
  }
}

class WaitingInit {
  onModuleInit(): Promise<void> {
    return new Promise(() => undefined);
  }
}

@Module({ providers: [{ provide: 'ledger', useFactory: fail }], exports: ['ledger'] })
class BrokenLedgerModule {}

@Injectable()
class NeedsUnknown {
  constructor(@Inject('nowhere') readonly unknown: unknown) {}
}

class GuardOfAll {
  canActivate = () => true;
}

function start(parts: ModuleMetadata) {
  @Module(parts)
  class LedgerModule {}
  const create = async () => {
    const module = new GuardedModules().guard('ledger', { module: LedgerModule });
    const context = await NestFactory.createApplicationContext(module, { abortOnError: false, logger: false });
    return context.init();
  };
  return create();
}

async function problemsOf(work: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!(error instanceof InvalidConfigurationError)) throw new Error(`no sentence: ${String(error)}`);
  return error.problems;
}

describe('an extension at the start', () => {
  it.each([
    ['a factory', { providers: [{ provide: Ledger, useFactory: fail }] }, 'the factory of Ledger failed: no ledger'],
    ['a factory of an imported module', { imports: [BrokenLedgerModule] }, 'the factory of ledger failed: no ledger'],
    [
      'a factory that rejects',
      { providers: [{ provide: 'db', useFactory: () => Promise.reject(new Error('refused')) }] },
      'the factory of db failed: refused',
    ],
    ['a constructor', { providers: [ThrowingConstructor] }, 'the constructor of ThrowingConstructor failed: no ledger'],
    ['a hook', { providers: [ThrowingInit] }, 'ThrowingInit.onModuleInit failed: no ledger'],
    ['a hook that is a member', { providers: [ArrowInit] }, 'ArrowInit.onModuleInit failed: no ledger'],
    [
      'a hook of what a factory made',
      { providers: [{ provide: Ledger, useFactory: () => new ThrowingInit() }] },
      'Ledger.onModuleInit failed: no ledger',
    ],
    [
      'a guard of all routes',
      { providers: [{ provide: APP_GUARD, useClass: GuardOfAll }] },
      'it provides APP_GUARD, which would apply to every route of the service',
    ],
  ] satisfies [string, ModuleMetadata, string][])('is named where %s fails', async (_, parts, reason) => {
    expect(await problemsOf(start(parts))).toEqual([`the extension ledger does not start: ${reason}`]);
  });

  it('gives its own reasons', async () => {
    expect(await problemsOf(start({ providers: [RejectingBootstrap] }))).toEqual([
      'the extension ledger does not start: LEDGER_URL leads nowhere',
      'the extension ledger does not start: LEDGER_KEY is old',
    ]);
  });

  it('keeps what it provides as it is, with one copy of a module that two import', async () => {
    @Module({ providers: [Ledger], exports: [Ledger] })
    class SharedModule {}
    @Module({ imports: [SharedModule], exports: [SharedModule] })
    class OtherModule {}
    @Injectable()
    class Accountant {
      constructor(readonly ledger: Ledger) {}
    }
    Reflect.defineMetadata('design:paramtypes', [Ledger], Accountant);
    const context = await start({ imports: [SharedModule, OtherModule], providers: [Accountant] });
    const accountant = context.get(Accountant, { strict: false });
    expect(accountant).toBeInstanceOf(Accountant);
    expect(accountant.ledger).toBe(context.get(Ledger, { strict: false }));
    expect(accountant.constructor.name).toBe('Accountant');
    await context.close();
  });
});

describe('a module of an extension', () => {
  @Module({ providers: [Ledger], exports: [Ledger] })
  class LedgersModule {
    static forRoot = () => ({ module: LedgersModule, providers: [{ provide: 'options', useValue: 1 }] });
  }

  it.each<[string, () => ModuleMetadata]>([
    ['a module that it imports', () => ({ imports: [LedgersModule], exports: [LedgersModule] })],
    ['one of a promise', () => ({ imports: [Promise.resolve(LedgersModule.forRoot())], exports: [LedgersModule] })],
    ['one with options', () => ({ imports: [LedgersModule.forRoot()], exports: [LedgersModule] })],
    ['one referred to', () => ({ imports: [forwardRef(() => LedgersModule)], exports: [LedgersModule] })],
    [
      'a reference to one',
      () => ({ imports: [forwardRef(() => LedgersModule)], exports: [forwardRef(() => LedgersModule)] }),
    ],
  ])('exports %s', async (_, parts) => {
    @Module(parts())
    class Middle {}
    @Injectable()
    class Accountant {
      constructor(@Inject(Ledger) readonly ledger: Ledger) {}
    }
    const context = await start({ imports: [Middle], providers: [Accountant] });
    expect(context.get(Accountant, { strict: false }).ledger).toBeInstanceOf(Ledger);
    await context.close();
  });

  it('that is imported with options stays the one that others import', async () => {
    const shared = LedgersModule.forRoot();
    const module = new GuardedModules().guard('ledger', { module: class Own {}, imports: [shared] });
    const context = await NestFactory.createApplicationContext(
      { module: class {}, imports: [shared, module] },
      { logger: false },
    );
    const modules = [...context.get(ModulesContainer).values()];
    expect(modules.filter(({ name }) => name === 'LedgersModule')).toHaveLength(1);
    await context.close();
  });

  it('is injected by its own class', async () => {
    @Injectable()
    class Accountant {
      constructor(@Inject(Marker) readonly module: unknown) {}
    }
    const module = new GuardedModules().guard('ledger', { module: Marker, providers: [Accountant] });
    const context = await NestFactory.createApplicationContext(module, { logger: false });
    expect(context.get(Accountant).module).toBeInstanceOf(Marker);
    await context.close();
  });

  it('may wait for the database of the service, which is no fault of it', async () => {
    const outage = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
    const failing = { provide: Ledger, useFactory: () => Promise.reject(outage) };
    await expect(start({ providers: [failing] })).rejects.toBe(outage);
  });
});

class Marker {}

describe('an extension that hangs at the start', () => {
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['a hook', { providers: [WaitingInit] }, 'WaitingInit.onModuleInit'],
    [
      'a factory',
      { providers: [{ provide: Ledger, useFactory: () => new Promise<never>(() => undefined) }] },
      'the factory of Ledger',
    ],
  ] satisfies [string, ModuleMetadata, string][])(
    'in %s is named after 10 s, and given up after 60 s',
    async (_, parts, step) => {
      const lines: string[] = [];
      jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
      try {
        const problems = problemsOf(start(parts));
        await jest.advanceTimersByTimeAsync(10_000);
        expect(lines).toEqual([`the extension ledger has been starting for 10 s: waiting for ${step}\n`]);
        await jest.advanceTimersByTimeAsync(50_000);
        expect(await problems).toEqual([
          `the extension ledger does not start: ${step} failed: it has not ended within 60 s`,
        ]);
      } finally {
        jest.useRealTimers();
      }
    },
  );
});

describe('a command without a database', () => {
  it('creates what some classes of an extension need, and nothing else', async () => {
    @Module({ providers: [NeedsUnknown, { provide: 'address', useValue: 'ledger.test' }], exports: ['address'] })
    class AddressModule {}
    @Injectable()
    class Source {
      constructor(@Inject('client') readonly client: string) {}
    }
    const client = { provide: 'client', inject: ['address'], useFactory: (address: string) => `client of ${address}` };
    const module = {
      module: Ledger,
      imports: [Promise.resolve({ module: AddressModule })],
      providers: [Source, client, NeedsUnknown],
    };
    const providers = await neededProviders('ledger', module, [Source]);
    const context = await NestFactory.createApplicationContext({ module: class {}, providers }, { logger: false });
    expect(context.get(Source).client).toBe('client of ledger.test');
    expect(() => context.get(NeedsUnknown)).toThrow();
    await context.close();
  });
});
