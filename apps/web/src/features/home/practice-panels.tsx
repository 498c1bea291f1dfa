import type { MonthMoney, OrderOnTheWay, SalesClient, WantedItem } from '@lis/contract/home-practice.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { formatDuration } from '../../lib/durations.ts'
import { formatLongDate } from '../../lib/formats.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { type PagedPart, type PanelList, ShowAll } from './paged-rows.tsx'
import { Panel } from './panel.tsx'

const Rows = styled('ul')(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li': { padding: '7px 12px', borderBottom: '1px solid var(--line)' },
  '& > li:last-of-type': { borderBottom: 0 },
  '& strong': { fontWeight: 600, color: 'var(--text-strong)' },
  '& small': { fontSize: 11, color: 'var(--text-3)' },
  '& a': { color: 'var(--link)', fontWeight: 600, textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
  '&.orders > li': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1.2fr) minmax(0, 1fr) 170px 76px minmax(0, 1fr)',
    alignItems: 'center',
    gap: 12,
  },
  '& .tests': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .late': { color: 'var(--warning)', fontWeight: 600 },
  [theme.breakpoints.down('md')]: {
    '&.orders > li': { gridTemplateColumns: 'minmax(0, 1fr) auto', gap: '4px 12px' },
    '& .tests': { display: 'none' },
  },
}))
const Steps = styled('div')({
  display: 'flex',
  alignItems: 'center',
  '& i': {
    flex: 'none',
    width: 10,
    height: 10,
    borderRadius: '50%',
    border: '1.5px solid var(--n-400)',
    background: 'var(--surface)',
  },
  '& b': { flex: 1, minWidth: 8, height: 2, background: 'var(--n-300)' },
  '& .done': { background: 'var(--p)', borderColor: 'var(--p)' },
  '& i.now': { width: 12, height: 12, border: '3px solid var(--p)' },
})
const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  '& th, & td': { height: 30, padding: '0 8px', textAlign: 'right', borderBottom: '1px solid var(--line)' },
  '& th': { fontSize: 11, fontWeight: 400, color: 'var(--text-3)', whiteSpace: 'nowrap' },
  '& tr:last-of-type td': { borderBottom: 0 },
  '& th:first-of-type, & td:first-of-type': { paddingLeft: 12, textAlign: 'left' },
  '& .silent': { color: 'var(--warning)', fontWeight: 600 },
  '& a': { color: 'var(--link)', fontWeight: 600, textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
})
const None = styled('div')({ padding: 12, color: 'var(--text-3)' })

const stepCount = [1, 2, 3, 4, 5]

/** Orders whose report is not released yet, the next to be ready first. */
export const OnTheWayPanel = ({ orders, list }: { orders: readonly OrderOnTheWay[]; list: PanelList | undefined }) => (
  <Panel title="On the way" note={list?.count == null ? '' : `${list.count} orders, next to be ready first`}>
    {orders.length === 0 && <None>No order is on its way</None>}
    <Rows className="orders">
      {orders.map((order) => (
        <li key={order.reqId}>
          <span>
            <strong>
              {order.patientLastName}, {order.patientFirstName}
            </strong>{' '}
            <small>
              {formatLongDate(order.patientDob)} · #{order.reqId}
            </small>
          </span>
          <span className="tests">{order.testCodes.replaceAll(',', ', ')}</span>
          <Steps role="img" aria-label={`Step ${order.step} of 5: ${order.stepDesc}`}>
            {stepCount.map((step) => [
              step > 1 && <b key={`line ${step}`} className={step <= order.step ? 'done' : undefined} />,
              <i key={step} className={step === order.step ? 'now' : step < order.step ? 'done' : undefined} />,
            ])}
          </Steps>
          <strong>{order.stepDesc}</strong>
          <span className={order.isLate ? 'late' : undefined}>
            {order.isLate ? 'Late, expected ' : 'Expected '}
            <Timestamp at={order.expectedDate} />
          </span>
        </li>
      ))}
    </Rows>
    {list?.count != null && list.count > orders.length && <ShowAll list={list} />}
  </Panel>
)

interface WantedPanelProps extends PagedPart<WantedItem> {
  now: number
}

/** What blocks orders or their bills, with a link to the page that shows it. */
export const WantedPanel = ({ rows: items, total, foot, isFocused, now }: WantedPanelProps) => (
  <Panel title="Wanted from you" note={total ? `${total} to look at` : ''} isFocused={isFocused}>
    {items.length === 0 && <None>Nothing is wanted from you</None>}
    <Rows>
      {items.map((item) => (
        <li key={item.reqId}>
          <div>
            <Link to={item.link}>{item.text}</Link> <small>{formatDuration(now - Date.parse(item.sinceDate))}</small>
          </div>
          <small>
            {item.patientLastName}, {item.patientFirstName} ({formatLongDate(item.patientDob)}) #{item.reqId}
          </small>
        </li>
      ))}
    </Rows>
    {foot}
  </Panel>
)

interface ClientsPanelProps extends PagedPart<SalesClient> {
  isOnlySilent: boolean
}

/** How much the clients of a sales person order. */
export const ClientsPanel = ({ rows: clients, foot, isFocused, isOnlySilent }: ClientsPanelProps) => (
  <Panel
    title="My clients"
    note={isOnlySilent ? 'Only the silent ones' : 'Orders of 30 days and of the 30 before'}
    isFocused={isFocused}
  >
    {clients.length === 0 && <None>{isOnlySilent ? 'No client is silent' : 'No client is assigned to you'}</None>}
    {clients.length > 0 && (
      <Table>
        <thead>
          <tr>
            <th scope="col">Client</th>
            <th scope="col">30 days</th>
            <th scope="col">Before</th>
            <th scope="col">Change</th>
            <th scope="col">Last order</th>
          </tr>
        </thead>
        <tbody>
          {clients.map(({ clientId, clientName, volume30, volumeBefore, recent, earlier, lastOrderDate, isSilent }) => (
            <tr key={clientId}>
              <td>{clientName}</td>
              <td>{linked(volume30, recent.link, `${clientName}, ${volume30} in the last 30 days`)}</td>
              <td>{linked(volumeBefore, earlier.link, `${clientName}, ${volumeBefore} in the 30 days before`)}</td>
              <td>{withSign(volume30 - volumeBefore)}</td>
              <td className={isSilent ? 'silent' : undefined}>
                {isSilent === 1 && 'Silent since '}
                {lastOrderDate ? <Timestamp at={lastOrderDate} /> : '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    )}
    {foot}
  </Panel>
)

/** The rows behind a number; there are none behind 0. */
const linked = (count: number, to: string, name: string) =>
  count === 0 ? (
    0
  ) : (
    <Link to={to} aria-label={name}>
      {count.toLocaleString('en-US')}
    </Link>
  )

const withSign = (change: number) => (change > 0 ? `+${change}` : change < 0 ? `−${-change}` : '0')

/** What was billed and paid, by month. */
export const MoneyPanel = ({ money }: { money: readonly MonthMoney[] }) => (
  <Panel title="Money" note="By month">
    {money.length === 0 && <None>Nothing billed or received in six months</None>}
    {money.length > 0 && (
      <Table>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col">Billed</th>
            <th scope="col">Received</th>
            <th scope="col">Open</th>
          </tr>
        </thead>
        <tbody>
          {money.map(({ month, currencyCode, billed, received, open }) => (
            <tr key={`${month} ${currencyCode}`}>
              <td>{`${month.slice(5)}/${month.slice(0, 4)}`}</td>
              {[billed, received, open].map((amount, index) => (
                <td key={['billed', 'received', 'open'][index]}>{amountOf(amount, currencyCode)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    )}
  </Panel>
)

const amountOf = (amount: string, currency: string) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(Number(amount))
