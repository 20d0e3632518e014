import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { SecretAddressRepository } from './secret-addresses.repository.js';
import { SecretAddresses } from './secret-addresses.js';

/** Addresses with a secret in them, which open a calendar or a client's page without a key. */
@Module({
  imports: [AuthModule],
  providers: [SecretAddresses, SecretAddressRepository],
  exports: [SecretAddresses],
})
export class AddressesModule {}
