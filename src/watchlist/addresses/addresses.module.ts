import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { SecretAddressRepository } from './secret-addresses.repository.js';
import { SecretAddresses } from './secret-addresses.js';

/** Provides secret URLs. Such a URL opens a calendar or a client's page without an API key. */
@Module({
  imports: [AuthModule],
  providers: [SecretAddresses, SecretAddressRepository],
  exports: [SecretAddresses],
})
export class AddressesModule {}
