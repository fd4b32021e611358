import { ApiError } from '../../contract/errors.ts'
import type { SenderView } from '../../contract/senders.ts'
import type { Bus } from '../../lib/bus.ts'
import { isoTimeOrNull } from '../../lib/clock.ts'
import type { StateReport } from '../../senders/connection.ts'
import type { OfficialFactsStore, SenderRow } from '../../store/index.ts'
import { type Accounts, idsOf, type OfficialAccount } from './accounts.ts'
import type { CheckResult } from './checks.ts'
import type { SetupReason } from './setup-state.ts'

export interface OfficialSenderDeps {
  accounts: Pick<Accounts, 'of'>
  facts: Pick<OfficialFactsStore, 'get'>
  runChecks: (account: OfficialAccount) => Promise<CheckResult>
  reportState: (senderId: number, report: StateReport) => void
  bus: Bus
}

/** What is known of official senders: whether Meta lets them in, and what its checks found. */
export function createOfficialSenders({ accounts, facts, runChecks, reportState, bus }: OfficialSenderDeps) {
  /** @throws ApiError `sender_kind_mismatch`, `conflict` */
  function accountOf(sender: SenderRow): OfficialAccount {
    if (sender.kind === 'official') return accounts.of(sender)
    throw new ApiError('sender_kind_mismatch', `${sender.code} is not an official sender.`)
  }

  return {
    accountOf,
    /** Meta let this sender in, or refused its token. */
    noteAccess(sender: SenderRow, allowed: boolean): void {
      if (sender.kind !== 'official' || (sender.state === 'connected') === allowed) return
      // A message gets out without the app secret; the statuses do not get in.
      if (allowed && sender.reason === ('wrong_app_secret' satisfies SetupReason)) return
      reportState(sender.id, {
        state: allowed ? 'connected' : 'offline',
        reason: allowed ? null : ('token_refused' satisfies SetupReason),
      })
    },
    async check(sender: SenderRow): Promise<void> {
      const { number, setup } = await runChecks(accountOf(sender))
      if (setup !== null) {
        const phone = number?.displayPhoneNumber?.replace(/\D/g, '')
        reportState(sender.id, {
          state: setup.ready ? 'connected' : 'offline',
          reason: setup.ready ? null : setup.reason,
          ...(phone === undefined ? {} : { phone }),
          ...(number?.verifiedName == null ? {} : { accountName: number.verifiedName }),
        })
      }
      bus.emit('sender', { code: sender.code })
    },
    async view(sender: SenderRow): Promise<SenderView['official']> {
      const { checks, checkedAt, templatesSyncedAt, lastStatusAt } = await facts.get(sender.id)
      return {
        ...idsOf(sender),
        checks,
        checked_at: isoTimeOrNull(checkedAt),
        templates_synced_at: isoTimeOrNull(templatesSyncedAt),
        last_status_at: isoTimeOrNull(lastStatusAt),
      }
    },
  }
}
