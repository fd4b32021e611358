import { IconLock } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { ApiError } from '../server/contract/errors.ts'
import { useSettings } from './api/settings.ts'
import { useLiveStream } from './api/stream.ts'
import { CrashGuard } from './components/crash-guard.tsx'
import { EmptyState } from './components/empty-state.tsx'
import { Shell } from './components/shell.tsx'
import { useLanguage } from './hooks/use-language.ts'
import Overview from './pages/overview/overview.tsx'

// All are in the one script that is there already; what a page needs is only made when it is first opened.
const ApiMessageLogs = lazy(() => import('./pages/api-message-logs/api-message-logs.tsx'))
const Customer = lazy(() => import('./pages/customers/customer.tsx'))
const Customers = lazy(() => import('./pages/customers/customers.tsx'))
const Keys = lazy(() => import('./pages/keys/keys.tsx'))
const Messages = lazy(() => import('./pages/messages/messages.tsx'))
const Month = lazy(() => import('./pages/month/month.tsx'))
const Nodes = lazy(() => import('./pages/nodes/nodes.tsx'))
const OptOuts = lazy(() => import('./pages/opt-outs/opt-outs.tsx'))
const RefusedCalls = lazy(() => import('./pages/refused-calls/refused-calls.tsx'))
const LinkSender = lazy(() => import('./pages/senders/link-sender.tsx'))
const Senders = lazy(() => import('./pages/senders/senders.tsx'))
const Settings = lazy(() => import('./pages/settings/settings.tsx'))
const Slip = lazy(() => import('./pages/slip/slip.tsx'))
const TryIt = lazy(() => import('./pages/try-it/try-it.tsx'))
const Webhooks = lazy(() => import('./pages/webhooks/webhooks.tsx'))
const Welcome = lazy(() => import('./pages/welcome/welcome.tsx'))

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
        <Suspense>
          <Pages />
        </Suspense>
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
    <Route path="/nodes" component={Nodes} />
    <Route path="/settings" component={Settings} />
    <Route component={NoSuchPage} />
  </Switch>
)

function NoSuchPage() {
  const { t } = useTranslation()
  return <EmptyState wholePage icon={null} title={t('page.notFound')} hint={t('page.notFoundHint')} />
}

function OwnerOnly() {
  const { t } = useTranslation()
  return (
    <main>
      <EmptyState
        wholePage
        icon={<IconLock size={40} stroke={1.5} />}
        title={t('errors.ownerOnly')}
        hint={t('errors.ownerOnlyHint')}
      />
    </main>
  )
}
