import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import type { z } from 'zod'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { DeleteRecordButton } from '../../ui/form/delete-record-button.tsx'
import { useBackToRecord } from '../../ui/form/edit-link.tsx'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { RecordForm } from '../../ui/form/record-form.tsx'
import { RecordPage } from '../../ui/form/record-page.tsx'
import { useDuplicateCheck } from '../use-duplicate-check.tsx'
import { type AnyItem, type Resource, showAddress } from './resource.ts'
import { LoadedItem, useResourceItem } from './resource-show-page.tsx'

interface FormOptions<Duplicate> {
  schema: z.ZodType
  fields: readonly FieldDef[]
  /** Set where the server asks before it saves a possible duplicate: shows one of the existing records. */
  renderDuplicate?: (duplicate: Duplicate) => ReactNode
}

const noDuplicates = () => null

/** Saves, with a question about possible duplicates where the resource has one. */
const useCheckedSave = <Duplicate extends { id: number }>(
  renderDuplicate: FormOptions<Duplicate>['renderDuplicate'],
) => {
  const { saveChecked, question } = useDuplicateCheck<Duplicate>(renderDuplicate ?? noDuplicates)
  const save = <T,>(values: unknown, send: (body: unknown) => Promise<T>) =>
    renderDuplicate
      ? saveChecked((confirmDuplicate) => send({ ...(values as Values), confirmDuplicate }))
      : send(values)
  return { save, question }
}

interface CreatePageProps<Duplicate> extends FormOptions<Duplicate> {
  resource: Resource
  /** Heading of the form. */
  title: string
  /** By default the new record's page opens. */
  onCreated?: (id: number) => void
  children?: ReactNode
}

export const ResourceCreatePage = <Duplicate extends { id: number }>(props: CreatePageProps<Duplicate>) => {
  const { resource, title, schema, fields, renderDuplicate, children } = props
  const create = useSave(resource.routes.create)
  const { save, question } = useCheckedSave(renderDuplicate)
  const navigate = useNavigate()
  const { onCreated = (id: number) => navigate(showAddress(resource, id), { replace: true }) } = props
  return (
    <RecordPage title={`Create ${resource.itemTitle}`}>
      <RecordForm
        title={title}
        schema={schema}
        fields={fields}
        submitLabel="Create"
        draftKey={resource.kind}
        onCancel={() => navigate(`/${resource.path}`)}
        onSubmit={async (values) => {
          const { data } = await save(values, (body) => create({ body }))
          onCreated(data.id)
        }}
      />
      {question}
      {children}
    </RecordPage>
  )
}

interface EditFormProps<Item extends AnyItem, Duplicate> extends FormOptions<Duplicate> {
  resource: Resource<{ id: number }, Item>
  /** Heading of the form. */
  titleOf: (item: Item) => string
  submitLabel?: string
  notice?: (values: Values, item: Item) => ReactNode
}

interface EditPageProps<Item extends AnyItem, Duplicate> extends EditFormProps<Item, Duplicate> {
  /** Names the record in the question before it is deleted; without it there is no 'Delete'. */
  subjectOf?: ((item: Item) => string) | undefined
}

export const ResourceEditPage = <Item extends AnyItem, Duplicate extends { id: number }>(
  props: EditPageProps<Item, Duplicate>,
) => {
  const { subjectOf, ...form } = props
  const { itemTitle, path, routes } = props.resource
  const query = useResourceItem<Item>(props.resource)
  const item = query.data?.data
  return (
    <RecordPage
      title={`Edit ${itemTitle}`}
      action={
        item &&
        subjectOf && (
          <DeleteRecordButton
            route={routes.remove}
            id={item.id}
            itemName={itemTitle.toLowerCase()}
            subject={subjectOf(item)}
            listPath={path}
          />
        )
      }
    >
      <LoadedItem resource={props.resource} query={query}>
        {(data) => <EditForm {...form} item={data} />}
      </LoadedItem>
    </RecordPage>
  )
}

const EditForm = <Item extends AnyItem, Duplicate extends { id: number }>(
  props: EditFormProps<Item, Duplicate> & { item: Item },
) => {
  const { resource, schema, fields, titleOf, submitLabel = 'Save', notice, renderDuplicate } = props
  // The form must not change when the record is read again.
  const [item] = useState(props.item)
  const { id } = item
  const update = useSave(resource.routes.update)
  const { save, question } = useCheckedSave(renderDuplicate)
  const leave = useBackToRecord(showAddress(resource, id))
  return (
    <>
      <RecordForm
        title={titleOf(item)}
        schema={schema}
        fields={fields}
        values={item}
        version={item.version}
        submitLabel={submitLabel}
        draftKey={`${resource.kind}:${id}`}
        {...(notice && { notice: (values: Values) => notice(values, item) })}
        onCancel={() => leave()}
        onSubmit={async (values, { version }) => {
          await save(values, (body) => update({ params: { id }, body, headers: ifMatch(version) }))
          leave({ replace: true })
        }}
      />
      {question}
    </>
  )
}
