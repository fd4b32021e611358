import type { ErrorDetail } from '../../contract/errors.ts'
import type { TemplateComponent } from '../../contract/templates.ts'
import type { MarketingHoldStore, SenderRow } from '../../store/index.ts'
import type { Accounts } from './accounts.ts'
import type { Catalogue } from './catalogue.ts'
import type { Acceptance, GraphClient, GraphOutcome } from './graph-client.ts'
import type { TemplateMessage } from './template-message.ts'

/** Where a sender's template messages go: to Meta, or into the sandbox. */
export interface TemplateTarget {
  /** Until when Meta takes no marketing message to this person (131049), if the template is of that category. */
  heldUntil(recipient: string, category: string | null): Promise<number | null>
  /** The category of a template, in Meta's capitals; null where it is not known. */
  categoryOf(name: string, language: string): Promise<string | null>
  problems(name: string, language: string, components: readonly TemplateComponent[]): Promise<ErrorDetail[]>
  post(message: TemplateMessage): Promise<GraphOutcome<Acceptance>>
}

export interface TemplateTargetDeps {
  accounts: Accounts
  catalogue: Catalogue
  client: Pick<GraphClient, 'send'>
  marketingHolds: Pick<MarketingHoldStore, 'until'>
  /** What answers for sandbox senders in Meta's place. */
  sandboxPost: TemplateTarget['post']
  now: () => number
}

export function createTemplateTargets(deps: TemplateTargetDeps): (sender: SenderRow) => TemplateTarget {
  const { accounts, catalogue, client, marketingHolds, now } = deps

  const sandbox: TemplateTarget = {
    problems: async () => [],
    heldUntil: async () => null,
    categoryOf: async () => null,
    post: deps.sandboxPost,
  }

  function official(sender: SenderRow): TemplateTarget {
    const account = accounts.of(sender)
    return {
      problems: (name, language, components) => catalogue.problems(account, name, language, components),
      categoryOf: async (name, language) =>
        (await catalogue.find(sender.id, name, language))?.category?.toUpperCase() ?? null,
      heldUntil: async (recipient, category) =>
        category === 'MARKETING' ? marketingHolds.until(sender.id, recipient, now()) : null,
      post: (message) => client.send(account, message),
    }
  }

  return (sender) => (sender.kind === 'sandbox' ? sandbox : official(sender))
}
