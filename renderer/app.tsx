import { IconDatabaseOff, IconLock } from '@tabler/icons-react'
import { Activity, lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import type { ConcernCode } from '../server/contract/concerns.ts'
import { ApiError } from '../server/contract/errors.ts'
import { health } from '../server/contract/operation.ts'
import { fetched } from './api/fetched.ts'
import { wasRightButNotKept } from './api/session.ts'
import { useSettings } from './api/settings.ts'
import { useLiveStream } from './api/stream.ts'
import { CrashGuard } from './components/crash-guard.tsx'
import { EmptyState } from './components/empty-state.tsx'
import { Loading } from './components/loading.tsx'
import { Shell } from './components/shell.tsx'
import { useAfterFirstPaint } from './hooks/use-after-first-paint.ts'
import { useLanguage } from './hooks/use-language.ts'
import { useWords } from './hooks/use-words.ts'
import { fetchTexts } from './i18n/i18n.ts'
import { decoded } from './model/decoded.ts'
import Overview from './pages/overview/overview.tsx'

const later = () => fetched(() => import('./later.ts'))

const Acts = lazy(async () => ({ default: (await later()).Acts }))
const ApiMessageLogs = lazy(async () => ({ default: (await later()).ApiMessageLogs }))
const Customer = lazy(async () => ({ default: (await later()).Customer }))
const Customers = lazy(async () => ({ default: (await later()).Customers }))
const EmergencySheet = lazy(async () => ({ default: (await later()).EmergencySheet }))
const Help = lazy(async () => ({ default: (await later()).Help }))
const Keys = lazy(async () => ({ default: (await later()).Keys }))
const Messages = lazy(async () => ({ default: (await later()).Messages }))
const Month = lazy(async () => ({ default: (await later()).Month }))
const Nodes = lazy(async () => ({ default: (await later()).Nodes }))
const OptOuts = lazy(async () => ({ default: (await later()).OptOuts }))
const Prints = lazy(async () => ({ default: (await later()).Prints }))
const RefusedCalls = lazy(async () => ({ default: (await later()).RefusedCalls }))
const LinkSender = lazy(async () => ({ default: (await later()).LinkSender }))
const Senders = lazy(async () => ({ default: (await later()).Senders }))
const Settings = lazy(async () => ({ default: (await later()).Settings }))
const Slip = lazy(async () => ({ default: (await later()).Slip }))
const Table = lazy(async () => ({ default: (await later()).Table }))
const Write = lazy(async () => ({ default: (await later()).Write }))
const Webhooks = lazy(async () => ({ default: (await later()).Webhooks }))
const Welcome = lazy(async () => ({ default: (await later()).Welcome }))

export function App() {
  const connection = useLiveStream()
  const settings = useSettings()
  const [path] = useLocation()
  useLanguage(settings.data)
  useLater()

  const isOut = settings.error instanceof ApiError && settings.error.status < 404
  if (isOut && settings.data === undefined) return wasRightButNotKept() ? <NoStorage /> : <OwnerOnly />
  if (settings.data?.onboarded === false && path === '/') return <Redirect to="/welcome" replace />
  return (
    <>
      {isOut ? <OwnerOnly /> : null}
      {/* Hidden, not unmounted, so that typed text is still there after a new log-in. */}
      <Activity mode={isOut ? 'hidden' : 'visible'}>
        <Shell connection={connection}>
          <CrashGuard key={path}>
            <Suspense fallback={<Loading />}>
              <Pages />
            </Suspense>
          </CrashGuard>
        </Shell>
      </Activity>
    </>
  )
}

/**
 * Fetches all other pages and languages after the first paint, so that they open even if the server
 * is away or was updated.
 */
function useLater(): void {
  const painted = useAfterFirstPaint()
  useEffect(() => {
    if (!painted) return
    void fetchTexts()
    void later()
  }, [painted])
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
    <Route path="/customers/:phone">{({ phone }) => <Customer key={phone} phone={decoded(phone)} />}</Route>
    <Route path="/month" component={Month} />
    <Route path="/api-message-logs" component={ApiMessageLogs} />
    <Route path="/webhooks" component={Webhooks} />
    <Route path="/keys" component={Keys} />
    <Route path="/opt-outs" component={OptOuts} />
    <Route path="/refused-calls" component={RefusedCalls} />
    <Route path="/write" component={Write} />
    <Route path="/tables/:id">{({ id }) => <Table key={id} id={id} />}</Route>
    <Route path="/try-it" component={OldWrite} />
    <Route path="/prints" component={Prints} />
    <Route path="/nodes" component={Nodes} />
    <Route path="/emergency-sheet" component={EmergencySheet} />
    <Route path="/help" component={Help} />
    <Route path="/settings" component={Settings} />
    <Route path="/acts" component={Acts} />
    <Route component={NoSuchPage} />
  </Switch>
)

/** Redirects from an old address of the page. */
const OldWrite = () => <Redirect to={`/write${location.search}`} replace />

function NoSuchPage() {
  const { t } = useTranslation()
  return <EmptyState wholePage icon={null} title={t('page.notFound')} hint={t('page.notFoundHint')} />
}

/** Shows the concern that /health tells everybody. Without storage the window has no session. */
function NoStorage() {
  const { t } = useTranslation()
  const words = useWords()
  const [code, setCode] = useState<ConcernCode>('storage_unavailable')
  useEffect(() => {
    const ask = async () => health.parse(await (await fetch('/health')).json()).data.concerns[0]?.code
    ask().then(
      (worst) => worst !== undefined && setCode(worst),
      () => undefined,
    )
  }, [])
  const { title, meaning, advice } = words.concerns[code]
  return (
    <main>
      <EmptyState
        wholePage
        icon={<IconDatabaseOff size={40} stroke={1.5} />}
        title={title}
        hint={`${meaning} ${advice} ${t('errors.thenOpenAgain')}`}
      />
    </main>
  )
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
