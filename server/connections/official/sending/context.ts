import type { ProviderError } from '../../../contract/errors.ts'
import type { AcceptContext } from '../../../messages/context.ts'
import type { SenderRow } from '../../../store/index.ts'
import type { OfficialContext } from '../graph/context.ts'
import type { RateLimitBackoff } from '../graph/rate-limit-backoff.ts'
import type { Catalogue } from '../templates/catalogue.ts'
import type { TemplateTarget } from '../templates/template-target.ts'

/** Shared by all that sends template messages. */
export interface TemplateContext extends OfficialContext {
  accepting: AcceptContext
  catalogue: Catalogue
  /** @throws ApiError where the secrets of the sender cannot be read */
  targetOf: (sender: SenderRow) => TemplateTarget
  backoff: RateLimitBackoff
  /** Meta took a message of this sender. */
  onAccepted: (sender: SenderRow) => Promise<void>
  /**
   * Meta refused a message. Resolves with whether the reason is the sender: it can send nothing
   * else either.
   */
  onRefused: (sender: SenderRow, recipient: string, error: ProviderError) => Promise<boolean>
  /** True while the owner has paused all senders. */
  allPaused: () => boolean
  newId: () => string
}
