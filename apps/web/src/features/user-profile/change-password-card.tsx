import { configRoutes } from '@lis/contract/config.ts'
import { sessionRoutes } from '@lis/contract/session.ts'
import { currentPassword, newPasswordFields } from '@lis/contract/validation.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { freshAccessToken } from '../../lib/api.ts'
import { read } from '../../lib/query.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'

const passwordChange = z.object({ currentPwd: currentPassword }).and(newPasswordFields)

const fields: readonly FieldDef[] = [
  { name: 'currentPwd', label: 'Current password', kind: 'password', isRequired: true },
  {
    name: 'newPwd',
    label: 'New password',
    kind: 'password',
    isRequired: true,
    hint: 'At least 16 characters, with a number, an uppercase and a lowercase letter and one of !@#$%^&*()~',
  },
  { name: 'confirmPwd', label: 'Confirm password', kind: 'password', isRequired: true },
]

/** Changes the own password; behind a button, so that browsers do not fill in the fields. */
export const ChangePasswordCard = () => {
  const form = useInlineForm()
  const days = useQuery(read(configRoutes.one)).data?.data.passwordDays
  const change = useSave(sessionRoutes.changePassword, { invalidates: [] })
  if (!form.isOpen)
    return (
      <Card
        title="Password"
        actions={
          <Button ref={form.ref} onClick={form.open}>
            Change Password
          </Button>
        }
      >
        <p style={{ color: 'var(--text-2)' }}>
          {days && `A password is good for ${days} days, and none of your last 12 can be used again. `}A new one signs
          you out on every other device.
        </p>
      </Card>
    )
  return (
    <RecordForm
      title="Change Password"
      schema={passwordChange}
      fields={fields}
      columns={1}
      submitLabel="Save"
      onCancel={form.close}
      onSubmit={async ({ currentPwd, newPwd }) => {
        await change({ body: { currentPwd, newPwd, accessToken: await freshAccessToken() } })
        form.close()
      }}
    />
  )
}
