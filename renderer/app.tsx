import { IconLock } from '@tabler/icons-react'
import { Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { ApiError } from '../server/contract/errors.ts'
import { useSettings } from './api/settings.ts'
import { useLiveStream } from './api/stream.ts'
import { CrashGuard } from './components/crash-guard.tsx'
import { EmptyState } from './components/empty-state.tsx'
import { Loading } from './components/loading.tsx'
import { Shell } from './components/shell.tsx'
import { useLanguage } from './hooks/use-language.ts'
import { PAGES, PageNotLoaded, prefetchPages } from './pages.ts'

export function App() {
  const connection = useLiveStream()
  const settings = useSettings()
  const [path] = useLocation()
  useLanguage(settings.data)
  useEffect(prefetchPages, [])

  if (settings.error instanceof ApiError && settings.error.status < 404) return <OwnerOnly />
  if (settings.data?.onboarded === false && path === '/') return <Redirect to="/welcome" replace />
  return (
    <Shell connection={connection}>
      <CrashGuard key={path} isNotLoaded={(error) => error instanceof PageNotLoaded}>
        <Suspense fallback={<Loading />}>
          <Pages />
        </Suspense>
      </CrashGuard>
    </Shell>
  )
}

const Pages = () => (
  <Switch>
    <Route path="/" component={PAGES.overview} />
    <Route path="/welcome" component={PAGES.welcome} />
    <Route path="/senders" component={PAGES.senders} />
    <Route path="/senders/:code/link">{({ code }) => <PAGES.linkSender code={code} />}</Route>
    <Route path="/messages" component={PAGES.messages} />
    <Route path="/messages/:id/slip">{({ id }) => <PAGES.slip id={id} />}</Route>
    <Route path="/customers" component={PAGES.customers} />
    <Route path="/customers/:phone">
      {({ phone }) => <PAGES.customer key={phone} phone={decodeURIComponent(phone)} />}
    </Route>
    <Route path="/month" component={PAGES.month} />
    <Route path="/api-message-logs" component={PAGES.apiMessageLogs} />
    <Route path="/webhooks" component={PAGES.webhooks} />
    <Route path="/keys" component={PAGES.keys} />
    <Route path="/opt-outs" component={PAGES.optOuts} />
    <Route path="/refused-calls" component={PAGES.refusedCalls} />
    <Route path="/try-it" component={PAGES.tryIt} />
    <Route path="/settings" component={PAGES.settings} />
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
