import { can } from '@lis/contract/access/permissions.ts'
import { sessionRoutes, viewAsInput, viewAsLabels } from '@lis/contract/session.ts'
import type { User } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { call } from '../../lib/api.ts'
import { sessionStore, useRole, useSession } from '../../lib/session.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

const fields: readonly FieldDef[] = [
  { name: 'reason', label: viewAsLabels.reason, kind: 'multiline', isRequired: true, isWide: true },
]

/** Lets an administrator see what this user sees, read only, after giving a reason. */
export const ViewAsButton = ({ user }: { user: User }) => {
  const [isOpen, setOpen] = useState(false)
  const own = useSession()
  const mayView = can(useRole(), 'users.viewAs') && user.userStatusCode === 'ACT' && own?.access.userId !== user.id
  if (!mayView) return null
  const start = async (body: { reason: string }) => {
    const { data } = await call(sessionRoutes.viewAs, { params: { id: user.id }, body })
    const session = sessionStore.get()
    // The shell opens the front page as that person.
    if (session)
      sessionStore.set({ ...data, identity: session.identity, viewAs: { name: data.viewAs.name, own: session } })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>View as</Button>
      {isOpen && (
        <FormDialog
          title={`View as ${user.userFirstName} ${user.userLastName}?`}
          intro={
            <p className="muted">
              You see what this person sees, for at most 30 minutes, and can change nothing. It is recorded under both
              names.
            </p>
          }
          schema={viewAsInput}
          fields={fields}
          submitLabel="View as"
          onSubmit={start}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
