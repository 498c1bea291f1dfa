import { can } from '@lis/contract/access/permissions.ts'
import { reflexLabels, reflexRoutes } from '@lis/contract/reflex.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { reflexRuleText } from '../../domain/reflex-rule-text.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'

/** The reflex rules that the client agrees to. */
export const ReflexRulesCard = ({ clientId }: { clientId: number }) => {
  const params = { id: clientId }
  const mayEdit = can(useRole(), 'clients.write')
  const [isEditing, setEditing] = useState(false)
  const rules = useQuery(read(reflexRoutes.rules, { query: {} })).data?.data ?? []
  const query = useQuery(read(reflexRoutes.agreed, { params }))
  const save = useSave(reflexRoutes.saveAgreed)
  return (
    <Card
      title="Reflex rules"
      actions={mayEdit && rules.length > 0 && <Button onClick={() => setEditing(true)}>Edit</Button>}
    >
      <Loaded query={query}>
        {({ data }) => {
          const agreed = rules.filter(({ id }) => data.ruleIds.includes(id))
          if (agreed.length === 0) return <p>This client has agreed to none: no result adds a test.</p>
          return (
            <ul>
              {agreed.map((rule) => (
                <li key={rule.id}>
                  {reflexRuleText(rule)}
                  {rule.isActive === 0 && <span style={{ color: 'var(--text-3)' }}> (off at present)</span>}
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
      {isEditing && query.data && (
        <FormDialog
          title="Reflex rules"
          intro={<p>Only what the client has agreed to in writing.</p>}
          submitLabel="Save"
          schema={reflexRoutes.saveAgreed.body}
          fields={[
            {
              name: 'ruleIds',
              label: reflexLabels.ruleIds,
              kind: 'lookupMultiSelect',
              options: rules.map((rule) => ({ value: rule.id, label: reflexRuleText(rule) })),
            },
          ]}
          values={{ ruleIds: query.data.data.ruleIds }}
          onSubmit={(body) => save({ params, body })}
          onClose={() => setEditing(false)}
        />
      )}
    </Card>
  )
}
