import { type Caller, CurrentAccount, RequiresScope } from 'namewatch';
import { ApiOkResponse, ApiProperty, ApiTags, Controller, Get, IsString, MaxLength, Query } from 'namewatch/nest';

export class GreetingQuery {
  @ApiProperty({ description: 'Who is greeted.', maxLength: 100 })
  @IsString()
  @MaxLength(100)
  name: string;
}

export class Greeting {
  @ApiProperty()
  text: string;

  @ApiProperty({ description: 'The account that asks.' })
  account: string;
}

@ApiTags('my-extension')
@Controller('v1/x/my-extension')
export class GreetingController {
  @Get('greeting')
  @RequiresScope('my-extension:read')
  @ApiOkResponse({ description: 'A greeting.', type: Greeting })
  greet(@CurrentAccount() { id }: Caller['account'], @Query() { name }: GreetingQuery): Greeting {
    return { text: `Hello, ${name}!`, account: id };
  }
}
