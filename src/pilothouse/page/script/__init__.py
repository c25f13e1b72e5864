"""The agent's JavaScript, and the console of the page.

    evaluate.py                Evaluation.evaluate() runs code in a frame and returns an
                               EvaluationResult
    agent_javascript_wrapper.py  the forms that code comes in (expression, function, script, body),
                               and errors in terms of the agent's own lines; pure
    console_messages.py        PageConsole: console messages and uncaught errors, read from the
                               supervisor's log

Code goes programs() -> a list of JsPrograms -> the first that compiles is sent with
Runtime.callFunctionOn or Runtime.evaluate -> js/main_world/value_to_json.js turns the value into
JSON in the page -> EvaluationResult. A thrown error becomes a ToolError with line and stack
(ScriptError).
"""

from __future__ import annotations

from pilothouse.page.script.console_messages import PageConsole
from pilothouse.page.script.evaluate import Evaluation, EvaluationResult

__all__ = ["Evaluation", "EvaluationResult", "PageConsole"]
