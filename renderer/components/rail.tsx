import {
  IconDeviceMobile,
  IconFileText,
  IconFlask,
  IconHome,
  IconKey,
  IconMessages,
  type IconProps,
  IconSettings,
  IconWebhook,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useRoute } from 'wouter'
import { useIssues } from '../hooks/use-issues.ts'
import { Mark } from './mark.tsx'
import { RailFoot } from './rail-foot.tsx'
import classes from './shell.module.css'

const PLACES = [
  { path: '/', word: 'home', icon: IconHome },
  { path: '/senders', word: 'senders', icon: IconDeviceMobile },
  { path: '/messages', word: 'messages', icon: IconMessages },
  { path: '/api-message-logs', word: 'apiMessageLogs', icon: IconFileText },
  { path: '/webhooks', word: 'webhooks', icon: IconWebhook },
  { path: '/keys', word: 'keys', icon: IconKey },
  { path: '/try-it', word: 'tryIt', icon: IconFlask },
  { path: '/settings', word: 'settings', icon: IconSettings },
] as const

/** The pages; a badge only where something needs a hand. */
export function Rail() {
  const { t } = useTranslation()
  const issues = useIssues()
  const badges: Record<string, number> = {
    '/senders': issues.filter((issue) => issue.kind === 'sender' || issue.kind === 'check').length,
    '/webhooks': issues.filter((issue) => issue.kind === 'callbacks' || issue.kind === 'receiver').length,
  }
  return (
    <nav className={classes.rail} aria-label={t('rail.label')}>
      <div className={classes.brand}>
        <Mark /> Kurir
      </div>
      <ul className={classes.links}>
        {PLACES.map(({ path, word, icon }) => (
          <li key={path}>
            <RailLink path={path} icon={icon} word={t(`rail.${word}`)} badge={badges[path] ?? 0} />
          </li>
        ))}
      </ul>
      <RailFoot />
    </nav>
  )
}

interface RailLinkProps {
  path: string
  icon: ComponentType<IconProps>
  word: string
  badge: number
}

function RailLink({ path, icon: Icon, word, badge }: RailLinkProps) {
  const { t } = useTranslation()
  const [here] = useRoute(path === '/' ? '/' : `${path}/*?`)
  return (
    <Link href={path} className={classes.link ?? ''} {...(here ? { 'aria-current': 'page' } : {})}>
      <Icon size={20} stroke={1.75} aria-hidden="true" />
      {word}
      {badge === 0 ? null : (
        <span className={classes.badge} title={t('rail.needsHand', { count: badge })}>
          {badge}
        </span>
      )}
    </Link>
  )
}
