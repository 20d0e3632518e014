import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountDataRegistry } from '../auth/index.js';
import { PostgresAccountRemoval } from './account-removal.repository.js';

/** Lets the command line delete an account's notifications. */
@Module({ imports: [AuthModule], providers: [PostgresAccountRemoval] })
export class NotificationsRemovalModule implements OnModuleInit {
  constructor(
    private readonly parts: AccountDataRegistry,
    private readonly removal: PostgresAccountRemoval,
  ) {}

  onModuleInit(): void {
    this.parts.add(...this.removal.parts());
  }
}
