import { IconLock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { ApiError } from '../server/contract/errors.ts'
import { useSettings } from './api/settings.ts'
import { useLiveStream } from './api/stream.ts'
import { CrashGuard } from './components/crash-guard.tsx'
import { EmptyState } from './components/empty-state.tsx'
import { Shell } from './components/shell.tsx'
import { useLanguage } from './hooks/use-language.ts'
import ApiMessageLogs from './pages/api-message-logs/api-message-logs.tsx'
import Customer from './pages/customers/customer.tsx'
import Customers from './pages/customers/customers.tsx'
import Keys from './pages/keys/keys.tsx'
import Messages from './pages/messages/messages.tsx'
import Month from './pages/month/month.tsx'
import OptOuts from './pages/opt-outs/opt-outs.tsx'
import Overview from './pages/overview/overview.tsx'
import RefusedCalls from './pages/refused-calls/refused-calls.tsx'
import LinkSender from './pages/senders/link-sender.tsx'
import Senders from './pages/senders/senders.tsx'
import Settings from './pages/settings/settings.tsx'
import Slip from './pages/slip/slip.tsx'
import TryIt from './pages/try-it/try-it.tsx'
import Webhooks from './pages/webhooks/webhooks.tsx'
import Welcome from './pages/welcome/welcome.tsx'

export function App() {
  const connection = useLiveStream()
  const settings = useSettings()
  const [path] = useLocation()
  useLanguage(settings.data)

  if (settings.error instanceof ApiError && settings.error.status < 404) return <OwnerOnly />
  if (settings.data?.onboarded === false && path === '/') return <Redirect to="/welcome" replace />
  return (
    <Shell connection={connection}>
      <CrashGuard key={path}>
        <Pages />
      </CrashGuard>
    </Shell>
  )
}

const Pages = () => (
  <Switch>
    <Route path="/" component={Overview} />
    <Route path="/welcome" component={Welcome} />
    <Route path="/senders" component={Senders} />
    <Route path="/senders/:code/link">{({ code }) => <LinkSender code={code} />}</Route>
    <Route path="/messages" component={Messages} />
    <Route path="/messages/:id/slip">{({ id }) => <Slip id={id} />}</Route>
    <Route path="/customers" component={Customers} />
    <Route path="/customers/:phone">{({ phone }) => <Customer key={phone} phone={decodeURIComponent(phone)} />}</Route>
    <Route path="/month" component={Month} />
    <Route path="/api-message-logs" component={ApiMessageLogs} />
    <Route path="/webhooks" component={Webhooks} />
    <Route path="/keys" component={Keys} />
    <Route path="/opt-outs" component={OptOuts} />
    <Route path="/refused-calls" component={RefusedCalls} />
    <Route path="/try-it" component={TryIt} />
    <Route path="/settings" component={Settings} />
    <Route component={NoSuchPage} />
  </Switch>
)

function NoSuchPage() {
  const { t } = useTranslation()
  return <EmptyState icon={null} title={t('page.notFound')} hint={t('page.notFoundHint')} />
}

function OwnerOnly() {
  const { t } = useTranslation()
  return (
    <main>
      <EmptyState
        icon={<IconLock size={40} stroke={1.5} />}
        title={t('errors.ownerOnly')}
        hint={t('errors.ownerOnlyHint')}
      />
    </main>
  )
}
