import { expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { neededProviders } from '../../../src/extensions/extension-modules.js';

@Injectable()
class NeedsUnknown {
  constructor(@Inject('nowhere') readonly unknown: unknown) {}
}

class Ledger {}

it('a command without a database instantiates only the requested extension classes and their dependencies', async () => {
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
  const providers = await neededProviders(module, [Source]);
  const context = await NestFactory.createApplicationContext({ module: class {}, providers }, { logger: false });
  expect(context.get(Source).client).toBe('client of ledger.test');
  expect(() => context.get(NeedsUnknown)).toThrow();
  await context.close();
});
