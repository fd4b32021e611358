import type { ProviderError } from '../../../contract/errors.ts'
import type { AcceptContext } from '../../../messages/context.ts'
import type { SenderRow } from '../../../store/index.ts'
import type { OfficialContext } from '../graph/context.ts'
import type { RateLimitBackoff } from '../graph/rate-limit-backoff.ts'
import type { Catalogue } from '../templates/catalogue.ts'
import type { TemplateTarget } from '../templates/template-target.ts'

export interface TemplateContext extends OfficialContext {
  accepting: AcceptContext
  catalogue: Catalogue
  /** @throws ApiError if the secrets of the sender cannot be read */
  targetOf: (sender: SenderRow) => TemplateTarget
  backoff: RateLimitBackoff
  /** Runs after Meta accepted a message of this sender. */
  onAccepted: (sender: SenderRow) => Promise<void>
  /**
   * Runs after Meta refused a message. Resolves with true if the reason is the sender, which then
   * cannot send other messages either.
   */
  onRefused: (sender: SenderRow, recipient: string, error: ProviderError) => Promise<boolean>
  /** True while the owner has paused all senders. */
  allPaused: () => boolean
  newId: () => string
}
