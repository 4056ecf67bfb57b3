"""What the server offers beside its tools, as the protocol asks for it: resources, prompts, completions.

The texts are `prompts`', reading and completing are `resources`'.
"""

from __future__ import annotations

from mcp import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from mark_server.checks import ArgumentError, shown
from mark_server.prompts import POLICIES, prompt_text
from mark_server.resources import TEMPLATE, URI_TEMPLATE, Completions, complete_path, read_resource
from mark_server.served import Context, OpenDesk, desk_for
from mark_server.statuses import explain, status_of
from mark_store import StoreError

_QUESTION = PromptArgument(name="question", description="What to answer from the documents.", required=False)


class Offers:
    """The handlers; a desk is opened by the first that needs it."""

    def __init__(self, open_desk: OpenDesk) -> None:
        self._open_desk = open_desk

    async def list_resources(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """Name no resources: documents are read by the template."""
        return ListResourcesResult(resources=[])

    async def list_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """Name the one template."""
        return ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Read a document or a section.

        Raises:
            MCPError: It does not exist, is no text, or cannot be read now.
        """
        desk = await desk_for(context, self._open_desk)
        try:
            text = await read_resource(desk, params.uri)
        except ArgumentError as error:
            raise _missing(params.uri, str(error)) from error
        except StoreError as error:
            raise _refusal(params.uri, error) from error
        return ReadResourceResult(
            contents=[TextResourceContents(uri=params.uri, mime_type="text/markdown", text=text)]
        )

    async def list_prompts(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        """Name the reader policies."""
        return ListPromptsResult(
            prompts=[
                Prompt(name=name, title=policy.title, description=policy.description, arguments=[_QUESTION])
                for name, policy in POLICIES.items()
            ]
        )

    async def get_prompt(self, _context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """Give one reader policy.

        Raises:
            MCPError: There is no such prompt.
        """
        try:
            text = prompt_text(params.name, (params.arguments or {}).get("question", ""))
        except ArgumentError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        message = PromptMessage(role="user", content=TextContent(type="text", text=text))
        return GetPromptResult(description=POLICIES[params.name].description, messages=[message])

    async def complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        """Complete the path of the template; a prompt's question has nothing to complete."""
        reference = params.ref
        found = Completions([], more=False)
        if (
            isinstance(reference, ResourceTemplateReference)
            and reference.uri == URI_TEMPLATE
            and params.argument.name == "path"
        ):
            found = await complete_path(await desk_for(context, self._open_desk), params.argument.value)
        total = None if found.more else len(found.values)
        return CompleteResult(completion=Completion(values=found.values, total=total, has_more=found.more))


def _missing(uri: str, line: str) -> MCPError:
    return MCPError(INVALID_PARAMS, line, {"uri": uri})


def _refusal(uri: str, error: StoreError) -> MCPError:
    status = status_of(error)
    if status == "server-error":
        return MCPError(INTERNAL_ERROR, explain(error))
    return _missing(uri, f"{shown(uri)}: {status}")
