import type { ConcernCode } from '../../contract/concerns.ts'
import type { SenderFacts } from './facts.ts'

/** Why a linked number cannot send; null: it can. */
export function linkedTrouble({ state, reason, isDown, hasPhone, ...sender }: SenderFacts): ConcernCode | null {
  switch (state) {
    case 'logged_out':
      if (reason === 'removed_by_whatsapp') return reason
      return sender.linkingTrouble?.code ?? (reason === 'session_unreadable' ? reason : 'logged_out')
    case 'restricted':
      return reason === 'banned' || reason === 'locked' || reason === 'temporarily_banned' ? reason : 'restricted'
    case 'replaced':
      return state
    case 'unlinked':
      return sender.linkingTrouble?.code ?? state
    case 'linking':
      return sender.linkingTrouble?.code ?? (hasPhone ? 'logged_out' : 'unlinked')
    case 'connecting':
    case 'offline':
      if (reason === 'protocol_outdated' || reason === 'refused_by_whatsapp' || reason === 'untrusted_server')
        return reason
      return isDown ? 'offline' : null
    case 'connected':
      return sender.otherPhone ? 'other_phone' : null
  }
}
