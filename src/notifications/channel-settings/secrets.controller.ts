import { Body, Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { IntegerField } from '../../platform/http/validation/fields.js';
import { POST_REFUSALS } from '../../platform/http/errors/problem-catalogue.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { RotateSecret } from './rotate-secret.js';
import { OptionalBodyGuard } from '../optional-body.guard.js';
import { CHANNEL_ID, ChannelOwnershipGuard } from '../channels/channel-ownership.guard.js';

class RotateSecretBody {
  @IntegerField({
    minimum: 0,
    maximum: 604_800,
    default: 86_400,
    description: 'How long older secrets sign too, in seconds. 0 ends them at once.',
  })
  grace_seconds: number = 86_400;
}

class SecretView {
  @ApiProperty({ description: 'Shown once.' }) secret: string;
}

const EXAMPLES = {
  new: { summary: 'The new secret', value: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' } },
};
const BODIES = {
  hour: { summary: 'Older secrets sign for another hour', value: { grace_seconds: 3_600 } },
  at_once: { summary: 'End a leaked secret at once', value: { grace_seconds: 0 } },
};

@ApiTags('Notifications')
@Controller('v1/notifications/:id/rotate-secret')
export class SecretsController {
  constructor(private readonly rotateSecret: RotateSecret) {}

  @Post()
  @Idempotent()
  @HttpCode(200)
  @UseGuards(ChannelOwnershipGuard, OptionalBodyGuard)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'rotateNotificationSecret', summary: 'Rotate the secret of a webhook' })
  @ApiParam(CHANNEL_ID)
  @ApiBody({ type: RotateSecretBody, required: false, examples: BODIES })
  @ApiOkResponse({ description: 'At most three secrets sign at a time.', type: SecretView, examples: EXAMPLES })
  @ApiProblems(...POST_REFUSALS, 'not_found')
  async rotate(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() body: RotateSecretBody,
  ): Promise<SecretView> {
    const secret = await this.rotateSecret.run(account.id, id, body.grace_seconds);
    return { secret: secret.text };
  }
}
