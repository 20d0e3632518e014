import { BulkChecksController } from './checks/bulk-checks.controller.js';
import { CheckResultPresenter } from './checks/check-result-presenter.js';
import { ChecksController } from './checks/checks.controller.js';
import { RegistriesController } from './registries/registries.controller.js';

export const controllers = [ChecksController, BulkChecksController, RegistriesController];
export const presenters = [CheckResultPresenter];
