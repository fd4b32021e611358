import { ApiError } from '../../../contract/errors.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { MouthContext } from '../sending.ts'
import { postTo } from './context.ts'
import { fonnteCallParams, fonnteFailure } from './contract.ts'
import { fonnteDevicesRoutes } from './devices.ts'
import { fonnteMessages, fonnteSending } from './messages.ts'

/** Routes for programs that were written for Fonnte and only change their address. */
export const fonnteRoutes = (context: MouthContext): Route[] => [
  ...fonnteSending(context),
  ...fonnteMessages(context),
  ...fonnteDevicesRoutes(context),
  defineRoute({
    ...postTo(context, '{call}'),
    summary: 'Any other call of Fonnte, which is refused in its form',
    description: "Devices, QR codes and other settings are in Kurir's window.",
    params: fonnteCallParams,
    answer: fonnteFailure,
    handler: ({ params: { call } }) => {
      throw new ApiError('not_found', `${call} is not possible here: it is done in Kurir's window`)
    },
  }),
]
