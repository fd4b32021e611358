import type { TemplateComponent } from '../../../contract/templates.ts'
import type { MarketingHoldStore, SenderRow } from '../../../store/index.ts'
import type { Accounts } from '../graph/accounts.ts'
import type { Acceptance, GraphClient, GraphOutcome } from '../graph/graph-client.ts'
import type { TemplateMessage } from '../graph/template-message.ts'
import type { Catalogue, TemplateCheck } from './catalogue.ts'

/** Target of a sender's template messages: Meta, or the sandbox. */
export interface TemplateTarget {
  /**
   * Until when Meta takes no marketing message to this person (131049), if the template is of that
   * category.
   */
  heldUntil(recipient: string, category: string | null): Promise<number | null>
  check(name: string, language: string, components: readonly TemplateComponent[]): Promise<TemplateCheck>
  post(message: TemplateMessage): Promise<GraphOutcome<Acceptance>>
}

export interface TemplateTargetDeps {
  accounts: Accounts
  catalogue: Catalogue
  client: GraphClient
  marketingHolds: MarketingHoldStore
  /** Answers for sandbox senders in Meta's place. */
  sandboxPost: TemplateTarget['post']
  now: () => number
}

export function createTemplateTargets(deps: TemplateTargetDeps): (sender: SenderRow) => TemplateTarget {
  const { accounts, catalogue, client, marketingHolds, now } = deps

  const sandbox: TemplateTarget = {
    check: async () => ({ category: null, problems: [] }),
    heldUntil: async () => null,
    post: deps.sandboxPost,
  }

  function official(sender: SenderRow): TemplateTarget {
    const account = accounts.of(sender)
    return {
      check: (name, language, components) => catalogue.check(account, name, language, components),
      heldUntil: async (recipient, category) =>
        category === 'MARKETING' ? marketingHolds.until(sender.id, recipient, now()) : null,
      post: (message) => client.send(account, message),
    }
  }

  return (sender) => (sender.kind === 'sandbox' ? sandbox : official(sender))
}
