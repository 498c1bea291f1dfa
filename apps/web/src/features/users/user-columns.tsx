import { roleTable } from '@lis/contract/access/roles.ts'
import { type User, userLabels } from '@lis/contract/users.ts'
import Tooltip from '@mui/material/Tooltip'
import { formatPhone } from '../../lib/formats.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import type { Column } from '../../ui/table/column.ts'
import { EmailText } from '../../ui/table/email-text.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

/** Expired: it can no longer be used to sign in (USR-06, USR-07). */
const isExpired = ({ tempPwdExpiredDate }: User) =>
  tempPwdExpiredDate !== null && Date.parse(tempPwdExpiredDate) <= Date.now()

const expired = 'The temporary password has expired'

const ExpiredMark = () => (
  <Tooltip title={expired}>
    <span role="img" aria-label={expired} style={{ display: 'block', width: 16, color: 'var(--warning)' }}>
      <WarningIcon />
    </span>
  </Tooltip>
)

/** A locked-out user is still enabled, so the list shows the reason. */
const StatusCell = ({ user }: { user: User }) => {
  if (user.userStatusCode === 'LCK') return <span className="muted">{user.userStatusDesc}</span>
  if (!user.lockedUntilDate) return user.userStatusDesc
  return <span style={{ color: 'var(--warning)' }}>Locked</span>
}

export const userColumns: readonly Column<User>[] = [
  {
    key: 'userName',
    header: userLabels.userName,
    sort: 'userName',
    width: 112,
    isSticky: true,
    cell: (user) => user.userName,
  },
  {
    key: 'userFirstName',
    header: userLabels.userFirstName,
    sort: 'userFirstName',
    width: 92,
    cell: (user) => <span className="strong">{user.userFirstName}</span>,
  },
  {
    key: 'userLastName',
    header: userLabels.userLastName,
    sort: 'userLastName',
    width: 104,
    cell: (user) => <span className="strong">{user.userLastName}</span>,
  },
  {
    key: 'userEmail',
    header: userLabels.userEmail,
    sort: 'userEmail',
    width: 176,
    cell: (user) => <EmailText email={user.userEmail} />,
  },
  {
    key: 'userPhone',
    header: userLabels.userPhone,
    sort: 'userPhone',
    width: 122,
    cell: (user) => formatPhone(user.userPhone),
  },
  {
    key: 'userRoleDesc',
    header: userLabels.userRoleCode,
    sort: 'userRoleDesc',
    width: 96,
    cell: (user) => user.userRoleDesc,
  },
  {
    key: 'entityName',
    header: userLabels.entityName,
    sort: 'entityName',
    width: 124,
    cell: (user) => user.entityName,
  },
  {
    key: 'userStatusDesc',
    header: userLabels.userStatusCode,
    sort: 'userStatusDesc',
    width: 72,
    card: 'head',
    cell: (user) => <StatusCell user={user} />,
  },
  {
    key: 'lastLogonDate',
    header: userLabels.lastLogonDate,
    sort: 'lastLogonDate',
    width: 140,
    cell: (user) => user.lastLogonDate && <Timestamp at={user.lastLogonDate} />,
  },
  {
    key: 'tempPwdExpiredDate',
    header: 'Temporary password',
    HeaderIcon: WarningIcon,
    width: 40,
    isSticky: 'right',
    cell: (user) => isExpired(user) && <ExpiredMark />,
  },
]

export const userFilters: readonly FieldDef[] = [
  { name: 'userName', label: userLabels.userName, kind: 'input' },
  { name: 'userFirstName', label: userLabels.userFirstName, kind: 'text' },
  { name: 'userLastName', label: userLabels.userLastName, kind: 'text' },
  { name: 'userEmail', label: userLabels.userEmail, kind: 'text' },
  {
    name: 'userRoleCode',
    label: userLabels.userRoleCode,
    kind: 'select',
    options: roleTable.map(({ userRoleCode, userRoleDesc }) => ({ value: userRoleCode, label: userRoleDesc })),
  },
  { name: 'userStatusCode', label: userLabels.userStatusCode, kind: 'select', lookup: 'userStatus' },
  { name: 'deptId', label: userLabels.deptIds, kind: 'select', lookup: 'depts' },
]
